/* Several Lua states in several threads, each with the library and with searches of several
 * threads, get the answers that one state alone gets. */
#include <pthread.h>

#include "../core/check.h"
#include "host.h"

#ifdef __SANITIZE_THREAD__
/* The sanitizer does not see the lock that glibc's loader takes. */
const char *__tsan_default_suppressions(void);
const char *__tsan_default_suppressions(void)
{
    return "race:_dl_close_worker\nrace:_dl_map_object\nrace:dl_open_worker\n";
}
#endif

enum { NUM_STATES = 4, NUM_ROUNDS = 3, TEXT_BYTES = 4000 };

static const char *const work =
    "local out = {} "
    "for _, space in ipairs{'paper', 'wide'} do "
    "    for threads = 1, 3, 2 do "
    "        local optimizer = dtsim.optimizer{gpu = dtsim.gpus.h100, "
    "            network = dtsim.networks.h100, search = space, threads = threads} "
    "        local model = dtsim.model{d_model = 1024, layers = 24, batch = 256, sparsity = 2} "
    "        local r = optimizer:cluster(model, {duration = '1 day', gpus_in = {64, 128, 256}}) "
    "        out[#out + 1] = tostring(r) "
    "        out[#out + 1] = tostring(optimizer:evaluate(model, r.plan)) "
    "        out[#out + 1] = tostring(optimizer:sweep{d_model = {1024, 2048, 4096, 8192}}) "
    "        out[#out + 1] = select(2, optimizer:plan(model, 7)) "
    "        out[#out + 1] = select(2, pcall(dtsim.gpu, {memry = 3})) "
    "    end "
    "end "
    "out[#out + 1] = dtsim.units.format(dtsim.units.parse('3.5 GB/s'), 'bandwidth') "
    "return table.concat(out, '\\n')";

typedef struct {
    char text[TEXT_BYTES];
    bool passed;
} Answer;

/* A state of its own, from its opening to its end. */
static void *answer(void *argument)
{
    Answer *result = argument;
    lua_State *L = host_open(NULL);
    result->passed = L && host_run(L, work);
    (void)snprintf(result->text, sizeof result->text, "%s", L ? lua_tostring(L, -1) : "no state");
    if (L)
        lua_close(L);
    return NULL;
}

int main(void)
{
    static Answer alone, together[NUM_STATES];
    answer(&alone);
    if (!CHECK(alone.passed))
        printf("    %s\n", alone.text);
    for (int round = 0; round < NUM_ROUNDS; round++) {
        pthread_t threads[NUM_STATES];
        for (int i = 0; i < NUM_STATES; i++)
            CHECK_INT(pthread_create(&threads[i], NULL, answer, &together[i]), 0);
        for (int i = 0; i < NUM_STATES; i++)
            pthread_join(threads[i], NULL);
        for (int i = 0; i < NUM_STATES; i++) {
            CHECK_CASE("round %d, state %d", round, i);
            CHECK(together[i].passed);
            CHECK_STR(together[i].text, alone.text);
        }
    }
    return check_finish("threads");
}
