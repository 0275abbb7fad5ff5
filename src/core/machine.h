/* machine.h: a GPU and its cluster as a training run meets them: rates that data sheets give.
 *
 * Models: peaks by precision, memory, the fast domain (NVLink) and one network card's share per
 * GPU. What kernels and collectives reach of these rates is in calibration.h. Leaves out: fabric
 * topology beyond the domain, storage.
 * May include: field.h.
 */
#ifndef DT_CORE_MACHINE_H
#define DT_CORE_MACHINE_H

#include "field.h"

typedef enum {
    DT_FAMILY_OTHER,
    DT_FAMILY_VOLTA,     /* V100 */
    DT_FAMILY_AMPERE,    /* A100, A800 */
    DT_FAMILY_HOPPER,    /* H100, H200, H800, GH200 */
    DT_FAMILY_BLACKWELL, /* B200, GB200, B300 */
    DT_NUM_FAMILIES
} DtFamily;
extern const char *const dt_family_names[DT_NUM_FAMILIES];

typedef struct {
    char name[DT_NAME_SIZE];
    double family;            /* a DtFamily */
    double peak16_flop_per_s; /* dense 16-bit matmul */
    double peak8_flop_per_s;  /* dense 8-bit matmul; 0: none */
    double clock_frac;        /* rate under a power cap relative to the family's usual one */
    bool superchip;           /* GB200: the fitted clock of that part applies */
    double num_sms;
    double memory_bytes, memory_Bps;
    double usable_frac;   /* of memory_bytes: what the allocator can hand out */
    double domain_size;   /* GPUs that the fast links join */
    double domain_Bps;    /* one way per GPU */
    double node_size;     /* GPUs of a host */
    double host_Bps;      /* a GPU's link to its host, one way */
    double network_Bps;   /* network cards' rate per GPU, one way */
    double allreduce_Bps; /* bus bandwidth measured on the very run, 0: unknown */
    bool slow_hosts;      /* a cluster known to be degraded */
    bool in_network;      /* switches between domains reduce (SHARP) */
    double power_w, idle_power_w, host_power_w; /* host share per GPU */
    double price_usd, price_usd_per_hour;
} DtMachine;

enum { DT_MACHINE_NUM_FIELDS = 21 };
extern const DtField dt_machine_fields[DT_MACHINE_NUM_FIELDS];

/* Errors: DT_INVALID: a rate, count or share that is out of its range. */
DtStatus dt_machine_check(const DtMachine *machine, DtError *error);

#endif
