-- Messages about wrong optimizers, plans, questions and uses of results.
local mistakes = require "spec.mistakes"

-- The message must come with the line of the code, which is the third.
local function check(code, message)
    it(code, function() assert.equal(message, mistakes.message_of(code)) end)
end

describe("a wrong optimizer", function()
    mistakes.each([==[
dtsim.optimizer{}
    optimizer: gpu is missing (a dtsim.gpu)
dtsim.optimizer{gpu = gpu}
    optimizer: network is missing (a dtsim.network)
dtsim.optimizer{gpu = 3, network = network}
    optimizer: gpu must be a dtsim.gpu, got 3
dtsim.optimizer{gpu = network, network = network}
    optimizer: gpu must be a dtsim.gpu, got a network
dtsim.optimizer{gpu = gpu, network = gpu}
    optimizer: network must be a dtsim.network, got a gpu
dtsim.optimizer{gpu = gpu, netwrk = network}
    optimizer has no field 'netwrk'; did you mean 'network'?
optimizer:with{overlap = true}
    optimizer: overlap must be a table such as { tp = true, pp = true, dp = false }, got true
optimizer:with{overlap = {ep = true}}
    optimizer: overlap has no field 'ep'; did you mean 'dp'?
optimizer:with{overlap = {tp = 1}}
    optimizer: overlap.tp must be true or false, got 1
optimizer:with{overlap = {true}}
    optimizer: overlap has no field [1]; there are dp, pp and tp
optimizer:with{search = "best"}
    optimizer: search must be "paper", "wide" or "exhaustive", got "best"
optimizer:with{search = 3}
    optimizer: search must be "paper", "wide" or "exhaustive", got 3
optimizer:with{schedules = "zero_bubble"}
    optimizer: schedules must be a list such as { "interleaved" }, got "zero_bubble"
optimizer:with{schedules = {}}
    optimizer: schedules must name one at least: "interleaved", "zero_bubble"
optimizer:with{schedules = {"gpipe"}}
    optimizer: each of schedules must be "interleaved" or "zero_bubble", got "gpipe"
optimizer:with{zero_bubble_latency = "none"}
    optimizer: zero_bubble_latency must be "exposed" or "hidden", got "none"
optimizer:with{threads = 0}
    optimizer: threads must be a whole number from 1 to 256, got 0
optimizer:with{threads = 1000}
    optimizer: threads must be a whole number from 1 to 256, got 1000
optimizer.swep
    optimizer has no field 'swep'; did you mean 'sweep'?
optimizer.clustr
    optimizer has no field 'clustr'; did you mean 'cluster'?
optimizer.threads = 3
    a dtsim.optimizer cannot be changed; make a changed copy: x:with{ threads = ... }
]==], check)
end)

describe("a wrong plan", function()
    mistakes.each([==[
optimizer.evaluate(model, {})
    optimizer:evaluate: self must be a dtsim.optimizer, got a model
optimizer:evaluate(3, {})
    optimizer:evaluate: model must be a dtsim.model, got 3
optimizer:evaluate(model)
    plan must be a table such as { dp = 8, pp = 4, microbatches = 8 }, got nil
optimizer:evaluate(model, {pd = 3})
    plan has no field 'pd'; did you mean 'dp'?
optimizer:evaluate(model, {dp = 0})
    plan: dp must be a whole number from 1 to 2^62, got 0
optimizer:evaluate(model, {dp = 3})
    optimizer:evaluate: dp must divide the batch's tokens = 131072, got 3
optimizer:evaluate(model, {tp_model = 7})
    optimizer:evaluate: tp_model must divide d_model = 1024, got 7
optimizer:evaluate(model, {tp_ff = 7})
    optimizer:evaluate: tp_ff must divide d_ff = 4096, got 7
optimizer:evaluate(model, {pp = 5})
    optimizer:evaluate: pp must divide layers = 12, got 5
optimizer:evaluate(model, {ep = 2})
    optimizer:evaluate: ep must divide sparsity = 1, got 2
optimizer:evaluate(model, {microbatches = 7})
    optimizer:evaluate: microbatches must divide the tokens of one data-parallel replica =
    131072, got 7
optimizer:evaluate(experts, {microbatches = 3})
    optimizer:evaluate: microbatches must leave each of the experts the same number of tokens:
    sparsity * dp * microbatches must divide the batch's tokens = 9, got 3
optimizer:evaluate(model, {interleave = 7})
    optimizer:evaluate: interleave must divide the layers of a pipeline stage = 12, got 7
optimizer:evaluate(model, {interleave = 2})
    optimizer:evaluate: interleave must be 1 with pp = 1, got 2
optimizer:evaluate(model, {pp = 2, interleave = 2, microbatches = 4, zero_bubble = true})
    optimizer:evaluate: interleave must be 1 with zero_bubble, got 2
optimizer:evaluate(model, {pp = 2, microbatches = 2, zero_bubble = true})
    optimizer:evaluate: microbatches must be, with zero_bubble, at least twice pp = 2, got 2
optimizer:evaluate(model, {zero_bubble = 1})
    plan: zero_bubble must be true or false, got 1
optimizer:evaluate(model, {dp = 4, pp = 3})
    optimizer:evaluate: n_gpus must fill the inner network levels: be a multiple of their GPUs =
    8, got 12
optimizer:evaluate(model, {dp = 4, levels = {dp = {4}}})
    plan: levels.dp must have 2 numbers, one per network level, got 1
optimizer:evaluate(model, {dp = 4, levels = {dp = 4}})
    plan: levels.dp must be a list, one number per network level, got 4
optimizer:evaluate(model, {dp = 4, levels = 4})
    plan: levels must be a table such as { dp = { 8, 4 } }, got 4
optimizer:evaluate(model, {dp = 4, levels = {}})
    plan: levels.dp is missing, for dp = 4
optimizer:evaluate(model, {dp = 4, levels = {dp = {2, 1}}})
    optimizer:evaluate: dp must be the product of its levels = 2, got 4
optimizer:evaluate(model, {dp = 4, levels = {dp = {2, 2}}})
    optimizer:evaluate: level 1: levels must have parts that multiply to its size = 4, got 2
optimizer:evaluate(model, {dp = 4, levels = {dp = {2, 2.5}}})
    plan: levels.dp must be a whole number from 1 to 2^62, got 2.5
optimizer:evaluate(model, {dp = 4, levels = {pd = {2, 2}}})
    plan: levels has no field 'pd'; did you mean 'dp'?
optimizer:evaluate(model, {dp = 16, levels = {dp = {16, 1}}}, {partial_levels = true})
    optimizer:evaluate: level 1: levels must have parts that multiply to at most its size = 8,
    got 16
optimizer:evaluate(model, {}, 3)
    optimizer:evaluate: options must be a table such as { check_levels = false }, got 3
optimizer:evaluate(model, {}, {check_level = false})
    optimizer:evaluate has no option 'check_level'; did you mean 'check_levels'?
optimizer:evaluate(model, {}, {check_levels = 1})
    optimizer:evaluate: check_levels must be true or false, got 1
]==], check)
end)

describe("a wrong question", function()
    mistakes.each([==[
optimizer:plan(model)
    optimizer:plan: n_gpus, the number of GPUs, is missing
optimizer:plan(3, 8)
    optimizer:plan: model must be a dtsim.model, got 3
optimizer:plan(model, 0)
    optimizer:plan: n_gpus must be a whole number from 1 to 2^62, got 0
optimizer:plan(model, "many")
    optimizer:plan: n_gpus: "many" does not begin with a number, as in "16 M"
optimizer:plan(model, 8, 3)
    optimizer:plan: options must be a table, got 3
optimizer:plan(model, 8, {objectiv = "time"})
    optimizer:plan has no option 'objectiv'; did you mean 'objective'?
optimizer:plan(model, 8, {objective = "speed"})
    optimizer:plan: objective must be "utilization", "time", "gpus", "cost" or "energy", got
    "speed"
optimizer:plan(model, 8, {max_degree = 8})
    optimizer:plan: max_degree must be a table such as { pp = 8 }, got 8
optimizer:plan(model, 8, {max_degree = {pd = 8}})
    optimizer:plan: max_degree has no kind of parallelism 'pd'; did you mean 'dp'?
optimizer:plan(model, 8, {max_degree = {dp = 0}})
    optimizer:plan: max_degree: dp must be a whole number from 1 to 2^62, got 0
optimizer:plan(model, 8, {min_degree = {tp = 2}})
    optimizer:plan: min_degree takes tp_model and tp_ff instead of tp
optimizer:plan(model, 8, {degree = {tp = 2}})
    optimizer:plan: degree takes tp_model and tp_ff instead of tp
optimizer:plan(model, 8, {inside_level = {tp = 0}})
    optimizer:plan: inside_level: tp must be a whole number from 1 to 2^62, got 0
optimizer:plan(model, 8, {memory_headroom = 1})
    optimizer:plan: memory_headroom must be a share from 0 to below 1, got 1
optimizer:plan(model, 8, {recompute = "yes"})
    optimizer:plan: recompute must be true or false, got "yes"
optimizer:plan(model, 8, {time_budget = 0})
    optimizer:plan: time_budget must be above 0, got 0
optimizer:plan(model, 8, {plan_budget = 0})
    optimizer:plan: plan_budget must be above 0, got 0
optimizer:plans(model)
    optimizer:plans: n_gpus, the number of GPUs, is missing
optimizer:plans(model, 8, {top = 0})
    optimizer:plans: top must be a whole number from 1 to 1000, got 0
optimizer:plans(model, 8, {top = 1001})
    optimizer:plans: top must be a whole number from 1 to 1000, got 1001
optimizer:cluster(model, {duration = 0})
    optimizer:cluster: duration must be above 0, got 0
optimizer:cluster(model, {duration = "3 GB"})
    optimizer:cluster: duration: "3 GB" is bytes, but time is due, as in "3 months"
optimizer:cluster(model, {gpus_in = 3})
    optimizer:cluster: gpus_in must be a list of numbers of GPUs, got 3
optimizer:cluster(model, {gpus_in = {}})
    optimizer:cluster: gpus_in must have 1 to 1000000 numbers of GPUs, got 0
optimizer:cluster(model, {gpus_in = {1.5}})
    optimizer:cluster: each of gpus_in must be a whole number from 1 to 2^62, got 1.5
optimizer:cluster(model, {min_gpus = 16, max_gpus = 8})
    optimizer:cluster: min_gpus must be at most max_gpus = 8, got 16
optimizer:cluster(model, {multiple_of = 0})
    optimizer:cluster: multiple_of must be a whole number from 1 to 2^62, got 0
optimizer:cluster(model, {power_of_two = 1})
    optimizer:cluster: power_of_two must be true or false, got 1
optimizer:cluster(model, 3)
    optimizer:cluster: options must be a table, got 3
optimizer:frontier(model, 3)
    optimizer:frontier: options must be a table, got 3
]==], check)
end)

describe("a wrong sweep", function()
    mistakes.each([==[
optimizer.sweep(3)
    optimizer:sweep: self must be a dtsim.optimizer, got 3
optimizer:sweep(3)
    optimizer:sweep: options must be a table, got 3
optimizer:sweep{d_modl = {}}
    optimizer:sweep has no option 'd_modl'; did you mean 'd_model'?
optimizer:sweep{durations = 3}
    optimizer:sweep has no option 'durations'; did you mean 'duration'?
optimizer:sweep{objectiv = 3}
    optimizer:sweep has no option 'objectiv'; did you mean 'objective'?
optimizer:sweep{foo = 3}
    optimizer:sweep has no option 'foo'
optimizer:sweep{d_model = "wide"}
    optimizer:sweep: d_model must be a list of widths, got "wide"
optimizer:sweep{d_model = {}}
    optimizer:sweep: d_model must have one width at least
optimizer:sweep{d_model = {12288, 1.5}}
    optimizer:sweep: d_model[2] must be a whole number above 0, got 1.5
optimizer:sweep{d_model = {12288, "x"}}
    optimizer:sweep: d_model[2] must be a whole number above 0, got "x"
optimizer:sweep{d_model = 12288, d_ff = 1.5}
    optimizer:sweep: d_ff must be a whole number above 0, got 1.5
optimizer:sweep{d_model = 12288, d_ff = function() return "x" end}
    optimizer:sweep: d_ff must be a whole number above 0, got "x"
optimizer:sweep{d_model = 12288, seq_len = 0}
    optimizer:sweep: seq_len must be a whole number above 0, got 0
optimizer:sweep{d_model = 12288, laws = 3}
    optimizer:sweep: laws must be a dtsim.laws{ ... }, got 3
optimizer:sweep{d_model = 12288, laws = {}}
    optimizer:sweep: laws must be a dtsim.laws{ ... }, got a table
optimizer:sweep{d_model = 12288, laws = dtsim.laws}
    optimizer:sweep: laws must be a dtsim.laws{ ... }, got a table
optimizer:sweep{d_model = 12288, duration = "3 GB"}
    optimizer:sweep: duration: "3 GB" is bytes, but time is due, as in "3 months"
optimizer:sweep{d_model = 12288, duration = false}
    optimizer:sweep: duration must be a number or a string such as "3 months", got false
optimizer:sweep{d_model = 12288, stop_utilization = 2}
    optimizer:sweep: stop_utilization must be a number from 0 to 1, got 2
optimizer:sweep{d_model = 12288, stop_utilization = "low"}
    optimizer:sweep: stop_utilization must be a number from 0 to 1, got "low"
]==], check)
end)

describe("a wrong question about limits", function()
    mistakes.each([==[
optimizer:limits(3)
    optimizer:limits: options must be a table, got 3
optimizer:limits{objectiv = 3}
    optimizer:limits has no option 'objectiv'; did you mean 'objective'?
optimizer:limits{shar = 3}
    optimizer:limits has no option 'shar'; did you mean 'share'?
optimizer:limits{share = 0}
    optimizer:limits: share must be above 0 and at most 1, got 0
optimizer:limits{share = "x"}
    optimizer:limits: share must be above 0 and at most 1, got "x"
optimizer:limits{laws = {}}
    optimizer:limits: laws must be a dtsim.laws{ ... }, got a table
optimizer:limits{d_model = {}}
    optimizer:limits: d_model must have one width at least
optimizer:limits{d_model = 12288}
    optimizer:limits: d_model must be a list of widths, got 12288
optimizer:limits{d_model = {12288, 12288}}
    optimizer:limits: d_model must ascend: d_model[2] must be above 12288, got 12288
optimizer:limits{d_model = {1.5}}
    optimizer:limits: d_model[1] must be a whole number above 0, got 1.5
optimizer:limits{d_ff = 3}
    optimizer:limits: d_ff must be a function of d_model, got 3
optimizer:limits{seq_len = 0}
    optimizer:limits: seq_len must be a whole number above 0, got 0
optimizer:limits{duration = "3 GB"}
    optimizer:cluster: duration: "3 GB" is bytes, but time is due, as in "3 months"
optimizer.limits(3, {})
    optimizer:limits: self must be a dtsim.optimizer, got 3
optimizer:largest_run(3)
    optimizer:largest_run: options must be a table, got 3
optimizer:largest_run{budget = "$1 M"}
    optimizer:largest_run: budget needs a GPU whose price is known
optimizer:largest_run{power = "1 MW"}
    optimizer:largest_run: power needs a GPU whose power is known
priced:largest_run{budget = "1 W"}
    optimizer:largest_run: budget: "1 W" is power, but money is due, as in "$300"
priced:largest_run{budget = true}
    optimizer:largest_run: budget must be a number above 0 or a text such as "$300", got true
priced:largest_run{power = 0}
    optimizer:largest_run: power must be a number above 0 or a text such as "700 W", got 0
priced:largest_run{budget = 1e6, max_gpus = "x"}
    optimizer:largest_run: max_gpus: "x" does not begin with a number, as in "16 M"
]==], check)
end)

describe("a wrong use of results", function()
    mistakes.each([==[
result.utilisation
    result has no field 'utilisation'; did you mean 'utilization'?
result.time = 3
    a result cannot be changed; make a changed copy: x:with{ time = ... }
result:with()
    result:with takes a table of changes, got nil
result:with{tme = 3}
    result has no field 'tme'; did you mean 'time'?
result.plan.pd
    plan has no field 'pd'; did you mean 'dp'?
result.plan.dp = 3
    a plan cannot be changed; make a changed copy: x:with{ dp = ... }
result.plan.levels.dp[1] = 3
    this list cannot be changed; copy it first
result.breakdown.compte
    breakdown has no field 'compte'; did you mean 'compute'?
result.explain(3)
    result:explain: only a result of an optimizer in this session can be explained
result.search.second
    search report has no field 'second'; did you mean 'seconds'?
sweep.point
    sweep has no field 'point'; there are largest, linear_scaling_end, nearest, plain, plot,
    save and settings
sweep[1] = 3
    a sweep cannot be changed
sweep.settings.seq_len = 3
    a sweep's settings cannot be changed; make a changed copy: x:with{ seq_len = ... }
sweep.settings.d_model[1] = 3
    this list cannot be changed; copy it first
sweep:linear_scaling_end(0)
    sweep: the share of the sustained maximum must be above 0 and at most 1, got 0
sweep:linear_scaling_end("x")
    sweep: the share of the sustained maximum must be above 0 and at most 1, got "x"
sweep:largest(2)
    sweep: the share of the sustained maximum must be above 0 and at most 1, got 2
sweep:nearest()
    sweep:nearest: the compute must be a finite number of FLOP above 0, got nil
sweep:nearest("3 s")
    sweep:nearest: "3 s" is time, but flop is due, as in "1e26 FLOP"
sweep:nearest(-1)
    sweep:nearest: the compute must be a finite number of FLOP above 0, got -1
sweep:save()
    sweep:save: the path must be a text, got nil
sweep:save("x")
    sweep:save: the file's name must end in .json, .csv or .md, got "x"
sweep:save("x.xlsx")
    sweep:save: the file's name must end in .json, .csv or .md, got "x.xlsx"
sweep:save("none/x.json")
    cannot write 'none/x.json': No such file or directory
sweep:save("none.d/x.csv")
    cannot write 'none.d/x.csv': No such file or directory
]==], check)
end)
