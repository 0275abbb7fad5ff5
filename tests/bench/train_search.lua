-- How many candidate plans of real training runs the search goes through in a second.
-- usage: dtsim tests/bench/train_search.lua

local questions = {
    {"Llama 3 405B, 16,384 H100", "llama3_405b", "h100", 16384, 2048},
    {"GPT-3 175B, 1,024 A100", "gpt3_175b", "a100", 1024, 1536},
    {"Llama 3 405B, 1,152 H100", "llama3_405b", "h100", 1152, 576},
    {"Llama 3 70B, 3,072 H100", "llama3_70b", "h100", 3072, 3072},
    {"Mixtral 8x7B, 512 H100", "mixtral_8x7b", "h100", 512, 1024},
    {"DeepSeek-V3, 2,048 H800", "deepseek_v3", "h800", 2048, 15360},
}
local candidates, seconds = 0, 0
local rows = {{"question", "candidates", "timed", "ms", "candidates/s"}}
for _, q in ipairs(questions) do
    local trainer = dtsim.trainer{machine = dtsim.machines[q[3]], framework = "megatron"}
    local repeats, best = 5, nil
    local start = os.clock()
    for _ = 1, repeats do
        best = assert(trainer:plan(dtsim.models[q[2]], {gpus = q[4], batch = q[5]}))
    end
    local took = (os.clock() - start) / repeats
    candidates, seconds = candidates + best.search.candidates, seconds + took
    rows[#rows + 1] = {q[1], ("%d"):format(best.search.candidates),
        ("%d"):format(best.search.evaluated), ("%.2f"):format(1e3 * took),
        ("%.2e"):format(best.search.candidates / took)}
end
print(dtsim.align(rows))
print(("all: %.2e candidates a second"):format(candidates / seconds))
