#include "machine.h"

#include <math.h>

#define AT(member) offsetof(DtMachine, member)

const char *const dt_family_names[DT_NUM_FAMILIES] = {"other", "volta", "ampere", "hopper",
                                                      "blackwell"};

const DtField dt_machine_fields[DT_MACHINE_NUM_FIELDS] = {
    {"peak", DT_NUMBER, AT(peak16_flop_per_s), "flop_rate", DT_POSITIVE, DT_REQUIRED, 0,
     "FLOP/s of dense 16-bit matmuls"},
    {"peak_fp8", DT_NUMBER, AT(peak8_flop_per_s), "flop_rate", DT_NOT_NEGATIVE, DT_DEFAULT, 0,
     "FLOP/s of dense 8-bit matmuls"},
    {"clock_fraction", DT_NUMBER, AT(clock_frac), "", DT_POSITIVE, DT_DEFAULT, 1,
     "rate under this part's power cap relative to its family's"},
    {"superchip", DT_FLAG, AT(superchip), "", DT_NOT_NEGATIVE, DT_DEFAULT, 0,
     "whether CPU and GPUs form one module (GB200)"},
    {"sms", DT_NUMBER, AT(num_sms), "count", DT_POSITIVE, DT_REQUIRED, 0,
     "streaming multiprocessors"},
    {"memory", DT_NUMBER, AT(memory_bytes), "bytes", DT_POSITIVE, DT_REQUIRED, 0,
     "bytes of memory that the device shows"},
    {"memory_bandwidth", DT_NUMBER, AT(memory_Bps), "bandwidth", DT_POSITIVE, DT_REQUIRED, 0,
     "bytes per second of memory"},
    {"usable", DT_NUMBER, AT(usable_frac), "", DT_FRACTION, DT_DEFAULT, 0.935,
     "share of memory that context and libraries leave"},
    {"domain", DT_NUMBER, AT(domain_size), "count", DT_POSITIVE, DT_DEFAULT, 8,
     "GPUs that the fast links join"},
    {"domain_bandwidth", DT_NUMBER, AT(domain_Bps), "bandwidth", DT_POSITIVE, DT_REQUIRED, 0,
     "bytes per second and GPU, one way, inside the domain"},
    {"node", DT_NUMBER, AT(node_size), "count", DT_POSITIVE, DT_DEFAULT, 8, "GPUs of a host"},
    {"host_bandwidth", DT_NUMBER, AT(host_Bps), "bandwidth", DT_POSITIVE, DT_DEFAULT, 25e9,
     "bytes per second and GPU, one way, to the host"},
    {"network_bandwidth", DT_NUMBER, AT(network_Bps), "bandwidth", DT_POSITIVE, DT_REQUIRED, 0,
     "bytes per second and GPU, one way, between domains"},
    {"allreduce", DT_NUMBER, AT(allreduce_Bps), "bandwidth", DT_NOT_NEGATIVE, DT_DEFAULT, 0,
     "all-reduce bus bandwidth measured on the very run; 0: unknown"},
    {"in_network", DT_FLAG, AT(in_network), "", DT_NOT_NEGATIVE, DT_DEFAULT, 0,
     "switches between domains reduce (SHARP)"},
    {"slow_hosts", DT_FLAG, AT(slow_hosts), "", DT_NOT_NEGATIVE, DT_DEFAULT, 0,
     "a cluster known to be degraded"},
    {"power", DT_NUMBER, AT(power_w), "power", DT_NOT_NEGATIVE, DT_DEFAULT, 0,
     "watts of a GPU under full load"},
    {"idle_power", DT_NUMBER, AT(idle_power_w), "power", DT_NOT_NEGATIVE, DT_DEFAULT, 0,
     "watts of an idle GPU"},
    {"host_power", DT_NUMBER, AT(host_power_w), "power", DT_NOT_NEGATIVE, DT_DEFAULT, 0,
     "watts of host, fans and network per GPU"},
    {"price", DT_NUMBER, AT(price_usd), "money", DT_NOT_NEGATIVE, DT_DEFAULT, 0, "USD to buy one"},
    {"price_per_hour", DT_NUMBER, AT(price_usd_per_hour), "money", DT_NOT_NEGATIVE, DT_DEFAULT, 0,
     "USD to rent one for an hour"},
};

DtStatus dt_machine_check(const DtMachine *machine, DtError *error)
{
    for (int i = 0; i < DT_MACHINE_NUM_FIELDS; i++) {
        const DtField *field = &dt_machine_fields[i];
        if (field->type != DT_NUMBER)
            continue;
        const void *place = (const char *)machine + field->offset;
        double value = *(const double *)place;
        DtStatus status = dt_field_check(field, value, error);
        if (status != DT_OK)
            return status;
    }
    if (machine->family != floor(machine->family) || machine->family >= DT_NUM_FAMILIES)
        return dt_error_set(error, DT_INVALID, "family", machine->family,
                            "be other, volta, ampere, hopper or blackwell");
    return DT_OK;
}
