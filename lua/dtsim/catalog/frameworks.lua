--- What training frameworks do that their users do not choose: kernels, launches, overlaps, and
-- what they keep in memory. Plain data; dtsim.frameworks.NAME is made from it.
-- May use: nothing.
--
-- `plan` holds a framework's habits for what a run does not say (sharding, widths, split).
-- Memory figures of nanotron, megatron and aleph_alpha are measured or read from their code; those
-- of others are megatron's with the widths of the docs.

local frameworks = {}

-- A copy of an entry with other fields; of `plan` too.
local function like(entry, changes)
  local copy = { plan = {} }
  for key, value in pairs(entry) do copy[key] = value end
  copy.plan = {}
  for key, value in pairs(entry.plan or {}) do copy.plan[key] = value end
  for key, value in pairs(changes) do
    if key == "plan" then
      for k, v in pairs(value) do copy.plan[k] = v end
    else
      copy[key] = value
    end
  end
  return copy
end

frameworks.megatron_2021 = {
  name = "Megatron-LM before 2023",
  attention = "fused", kernels = "fused", host_eager = false, operations = 24, dropout = true,
  tp_overlap = "backward", dp_overlap = false, accumulate_bytes = 4,
  mlp_bytes = 6, logit_bytes = 10,
  plan = { zero = 0, sequence_parallel = false, reduce_bytes = 4, gradient_bytes = 4 },
}
frameworks.megatron = like(frameworks.megatron_2021, {
  name = "Megatron-Core with Transformer Engine",
  attention = "flash3", dropout = false, tp_overlap = "backward", dp_overlap = true,
  gather_overlap = true, mlp_bytes = 6, logit_bytes = 6,
  plan = { zero = 1, sequence_parallel = true },
})
frameworks.megatron_plain = like(frameworks.megatron, {
  name = "Megatron-Core, all overlaps off",
  tp_overlap = "exposed", tp_regather = true, dp_overlap = false, gather_overlap = false,
  fused_loss = true,
})
frameworks.nemo = like(frameworks.megatron, {
  name = "NeMo with Transformer Engine and user buffers",
  tp_overlap = "user",
})
frameworks.nanotron = {
  name = "nanotron 2024",
  attention = "flash2", kernels = "native", host_eager = true, operations = 30,
  tp_overlap = "exposed", tp_regather = true, dp_overlap = true, layer_calls = true,
  accumulate_bytes = 4,
  second_gradient_bytes = 2, gathered_bytes = 2, stage_gradients = true, mlp_bytes = 8,
  logit_bytes = 10, gather_buffer_bytes = 4, base_bytes = 0.065 * 2^30,
  plan = { zero = 1, sequence_parallel = true, split = "cost", reduce_bytes = 4 },
}
frameworks.aleph_alpha = {
  name = "Aleph Alpha 2023",
  attention = "flash2", kernels = "eager", host_eager = true, operations = 30,
  tp_overlap = "exposed", dp_overlap = false, all_reduce = true, accumulate_bytes = 2,
  mlp_bytes = 8, logit_bytes = 21, logits_sharded = false, norm_bytes = 12,
  plan = { zero = 1, sequence_parallel = false, gradient_bytes = 2, reduce_bytes = 2 },
}
frameworks.composer = {
  name = "MosaicML Composer and LLM Foundry 2023 (FSDP)",
  attention = "flash1", kernels = "native", host_eager = true, operations = 26,
  prefetch = false, accumulate_bytes = 4,
  logit_bytes = 4, mlp_bytes = 8,
  plan = { zero = 3, reduce_bytes = 4, gather_bytes = 2 },
}
frameworks.fsdp = {
  name = "PyTorch FSDP, eager",
  attention = "flash2", kernels = "eager", host_eager = true, operations = 30,
  tp_overlap = "exposed", prefetch = true, accumulate_bytes = 2,
  logit_bytes = 10, mlp_bytes = 8,
  plan = { zero = 3, reduce_bytes = 2, gather_bytes = 2, gradient_bytes = 4 },
}
frameworks.fsdp_compiled = like(frameworks.fsdp, {
  name = "PyTorch FSDP with torch.compile",
  kernels = "compiled", host_eager = false, fused_loss = true,
})
frameworks.torchtitan = like(frameworks.fsdp, {
  name = "torchtitan (FSDP2)",
  plan = { reduce_bytes = 4, recompute = "per_op" },
})
frameworks.xla = like(frameworks.fsdp_compiled, {
  name = "JAX: MaxText, PaxML",
  attention = "flash3",
  plan = { recompute = "per_op" },
})
frameworks.deepspeed_2021 = like(frameworks.megatron_2021, {
  name = "DeepSpeed ZeRO-3 of 2021",
  broadcast = true, host_eager = true, plan = { zero = 3, reduce_bytes = 2 },
})
frameworks.deepspeed = like(frameworks.fsdp, {
  name = "DeepSpeed",
  plan = { zero = 3, reduce_bytes = 2 },
})
frameworks.gpt_neox = like(frameworks.aleph_alpha, {
  name = "GPT-NeoX", kernels = "native", norm_bytes = 0, logits_sharded = true, logit_bytes = 10,
})

frameworks.order = {
  "megatron", "megatron_2021", "megatron_plain", "nemo", "nanotron", "aleph_alpha", "composer",
  "fsdp", "fsdp_compiled", "torchtitan", "xla", "deepspeed", "deepspeed_2021", "gpt_neox",
}

return frameworks
