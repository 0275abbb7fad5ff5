--- GPUs and their clusters as training runs meet them: plain data, with where it comes from.
-- May use: nothing. dtsim.machines.NAME is made from it.
--
-- peak: dense 16-bit matmul, peak_fp8: dense 8-bit. domain_bandwidth and network_bandwidth: one way
-- and per GPU. Prices and host shares are orders of magnitude to be replaced by one's own.

local A100 = "NVIDIA, A100 Tensor Core GPU data sheet"
local H100 = "NVIDIA, H100 Tensor Core GPU data sheet"
local H200 = "NVIDIA, H200 Tensor Core GPU data sheet"
local BLACKWELL = "NVIDIA, Blackwell architecture technical brief"
local V100 = "NVIDIA, V100 Tensor Core GPU data sheet"
local DGX = "NVIDIA, DGX data sheets: one network card per GPU"
local NODE_POWER = "whole-node figures of MLPerf training 4.0 and 5.0, less the GPUs"
local GUESS = "order of magnitude, a guess"

local function sources(sheet)
  return {
    peak = sheet, peak_fp8 = sheet, sms = sheet, memory = sheet, memory_bandwidth = sheet,
    domain_bandwidth = sheet .. ": half of the total, which counts both ways",
    network_bandwidth = DGX, power = sheet, idle_power = GUESS, host_power = NODE_POWER,
    price = GUESS, price_per_hour = GUESS,
  }
end

-- A copy of an entry with other fields.
local function like(entry, changes)
  local copy = {}
  for key, value in pairs(entry) do copy[key] = value end
  for key, value in pairs(changes) do copy[key] = value end
  return copy
end

local machines = {}

machines.a100 = {
  name = "A100 80GB SXM", family = "ampere", peak = "312 TFLOP/s", sms = 108,
  memory = "79.2 GiB", memory_bandwidth = "2.039 TB/s",
  domain = 8, domain_bandwidth = "300 GB/s", network_bandwidth = "25 GB/s",
  power = "400 W", idle_power = "60 W", host_power = "180 W",
  price = "$12000", price_per_hour = "$1.5", sources = sources(A100),
}
machines.a100_40 = like(machines.a100, {
  name = "A100 40GB SXM", memory = "39.4 GiB", memory_bandwidth = "1.555 TB/s",
})
machines.a800 = like(machines.a100, { name = "A800 80GB SXM", domain_bandwidth = "200 GB/s" })
machines.a100_pcie = like(machines.a100, {
  name = "A100 80GB PCIe", memory_bandwidth = "1.935 TB/s", domain_bandwidth = "25 GB/s",
  clock_fraction = 0.9, power = "300 W", host_power = "120 W",
})
machines.h100 = {
  name = "H100 80GB SXM", family = "hopper", peak = "989.4 TFLOP/s", peak_fp8 = "1979 TFLOP/s",
  sms = 132, memory = "79.2 GiB", memory_bandwidth = "3.35 TB/s",
  domain = 8, domain_bandwidth = "450 GB/s", network_bandwidth = "50 GB/s",
  power = "700 W", idle_power = "90 W", host_power = "250 W",
  price = "$30000", price_per_hour = "$2.5", sources = sources(H100),
}
machines.h800 = like(machines.h100, { name = "H800 80GB SXM", domain_bandwidth = "200 GB/s" })
machines.h100_pcie = like(machines.h100, {
  name = "H100 80GB PCIe", peak = "756 TFLOP/s", peak_fp8 = "1513 TFLOP/s", sms = 114,
  memory_bandwidth = "2.04 TB/s", domain_bandwidth = "50 GB/s", power = "350 W",
})
machines.h200 = like(machines.h100, {
  name = "H200 141GB SXM", memory = "139.7 GiB", memory_bandwidth = "4.8 TB/s",
  price = "$32000", sources = sources(H200),
})
machines.gh200 = like(machines.h100, {
  name = "GH200 96GB", memory = "94.5 GiB", memory_bandwidth = "4 TB/s", domain = 4,
})
machines.b200 = {
  name = "B200 180GB SXM", family = "blackwell", peak = "2250 TFLOP/s",
  peak_fp8 = "4500 TFLOP/s", sms = 148, memory = "178.4 GiB", memory_bandwidth = "8 TB/s",
  domain = 8, domain_bandwidth = "900 GB/s", network_bandwidth = "50 GB/s",
  power = "1000 W", idle_power = "140 W", host_power = "350 W",
  price = "$40000", price_per_hour = "$4.5", sources = sources(BLACKWELL),
}
machines.gb200 = like(machines.b200, {
  name = "GB200 NVL72", superchip = true, peak = "2450 TFLOP/s", peak_fp8 = "4900 TFLOP/s",
  memory = "184 GiB", domain = 72, node = 4, power = "1200 W",
})
machines.b300 = like(machines.b200, { name = "B300 270GB SXM", memory = "268 GiB",
  network_bandwidth = "100 GB/s", power = "1100 W" })
machines.gb300 = like(machines.gb200, { name = "GB300 NVL72", memory = "276 GiB",
  network_bandwidth = "100 GB/s", power = "1400 W" })
machines.v100 = {
  name = "V100 32GB SXM2", family = "volta", peak = "125 TFLOP/s", sms = 80,
  memory = "31.7 GiB", memory_bandwidth = "900 GB/s",
  domain = 8, domain_bandwidth = "150 GB/s", network_bandwidth = "6.25 GB/s",
  power = "300 W", idle_power = "45 W", host_power = "100 W",
  price = "$8000", price_per_hour = "$0.8", sources = sources(V100),
}
machines.v100_16 = like(machines.v100, { name = "V100 16GB SXM2", memory = "15.8 GiB" })
machines.gtx580 = {
  name = "GTX 580 3GB", family = "other", peak = "1.581 TFLOP/s", sms = 16,
  memory = "2.9 GiB", memory_bandwidth = "192.4 GB/s",
  domain = 2, domain_bandwidth = "6 GB/s", network_bandwidth = "1 GB/s",
  power = "244 W", idle_power = "30 W", host_power = "100 W", price = "$500",
  sources = sources("NVIDIA, GeForce GTX 580 specifications"),
}
machines.mi300x = {
  name = "MI300X 192GB", family = "other", peak = "1307 TFLOP/s", peak_fp8 = "2614 TFLOP/s",
  sms = 304, memory = "191 GiB", memory_bandwidth = "5.3 TB/s",
  domain = 8, domain_bandwidth = "448 GB/s", network_bandwidth = "50 GB/s",
  power = "750 W", idle_power = "140 W", host_power = "250 W", price_per_hour = "$2.5",
  sources = sources("AMD, Instinct MI300X data sheet"),
}
machines.mi325x = like(machines.mi300x, { name = "MI325X 256GB", memory = "255 GiB",
  memory_bandwidth = "6 TB/s", power = "1000 W" })
machines.mi355x = like(machines.mi300x, { name = "MI355X 288GB", peak = "2516 TFLOP/s",
  peak_fp8 = "5033 TFLOP/s", sms = 256, memory = "287 GiB", memory_bandwidth = "8 TB/s",
  domain_bandwidth = "538 GB/s", power = "1400 W" })
machines.mi250x = like(machines.mi300x, { name = "MI250X 128GB (one die of two)",
  peak = "191.5 TFLOP/s", peak_fp8 = 0, sms = 110, memory = "63.9 GiB",
  memory_bandwidth = "1.64 TB/s", domain_bandwidth = "100 GB/s",
  network_bandwidth = "12.5 GB/s", power = "280 W" })
machines.l40s = {
  name = "L40S 48GB", family = "other", peak = "362 TFLOP/s", peak_fp8 = "733 TFLOP/s",
  sms = 142, memory = "47.5 GiB", memory_bandwidth = "864 GB/s",
  domain = 8, domain_bandwidth = "25 GB/s", network_bandwidth = "25 GB/s",
  power = "350 W", idle_power = "35 W", host_power = "150 W",
  sources = sources("NVIDIA, L40S data sheet"),
}
-- Cards without fast links: PCI Express joins them.
local function card(name, sheet, peak, fp8, sms, memory, bandwidth, link, power, more)
  local entry = {
    name = name, family = "other", peak = peak .. " TFLOP/s", peak_fp8 = fp8 .. " TFLOP/s",
    sms = sms, memory = memory .. " GiB", memory_bandwidth = bandwidth .. " GB/s", domain = 8,
    domain_bandwidth = link .. " GB/s", network_bandwidth = "12.5 GB/s", power = power .. " W",
    idle_power = "30 W", host_power = "100 W", sources = sources("NVIDIA, " .. sheet),
  }
  for key, value in pairs(more or {}) do entry[key] = value end
  return entry
end
machines.p100 = card("P100 16GB SXM2", "Tesla P100 data sheet", 21.2, 0, 56, 15.9, 732, 80, 300)
machines.t4 = card("T4 16GB", "T4 data sheet", 65, 0, 40, 14.6, 320, 12.5, 70)
machines.a10 = card("A10 24GB", "A10 data sheet", 125, 0, 72, 22.1, 600, 25, 150)
machines.a30 = card("A30 24GB", "A30 data sheet", 165, 0, 56, 23.7, 933, 25, 165)
machines.a40 = card("A40 48GB", "A40 data sheet", 149.7, 0, 84, 44.4, 696, 25, 300)
machines.a6000 = card("RTX A6000 48GB", "RTX A6000 data sheet", 154.8, 0, 84, 47.5, 768, 25, 300)
machines.l4 = card("L4 24GB", "L4 data sheet", 121, 242, 58, 22.5, 300, 25, 72)
machines.l40 = card("L40 48GB", "L40 data sheet", 181, 362, 142, 44.4, 864, 25, 300)
machines.rtx3090 = card("RTX 3090 24GB", "GA102 white paper", 71, 0, 82, 23.7, 936, 25, 350)
machines.rtx4090 = card("RTX 4090 24GB", "Ada white paper", 165.2, 330.3, 128, 23.6, 1008, 25,
  450)
machines.h20 = like(machines.h100, {
  name = "H20 96GB SXM", peak = "148 TFLOP/s", peak_fp8 = "296 TFLOP/s", sms = 78,
  memory = "95.6 GiB", memory_bandwidth = "4 TB/s", power = "500 W",
  sources = sources("NVIDIA, H20 data sheet as reported"),
})
machines.h100_nvl = like(machines.h100, {
  name = "H100 NVL 94GB", peak = "835 TFLOP/s", peak_fp8 = "1671 TFLOP/s",
  memory = "93.1 GiB", memory_bandwidth = "3.9 TB/s", domain_bandwidth = "50 GB/s",
  power = "400 W",
})
machines.b100 = like(machines.b200, {
  name = "B100 192GB SXM", peak = "1750 TFLOP/s", peak_fp8 = "3500 TFLOP/s", power = "700 W",
})
machines.gaudi2 = {
  name = "Gaudi 2 96GB", family = "other", peak = "432 TFLOP/s", peak_fp8 = "865 TFLOP/s",
  sms = 24, memory = "95 GiB", memory_bandwidth = "2.46 TB/s",
  domain = 8, domain_bandwidth = "262 GB/s", network_bandwidth = "37 GB/s",
  power = "600 W", idle_power = "100 W", host_power = "200 W",
  sources = sources("Intel, Gaudi 2 product brief"),
}
machines.gaudi3 = like(machines.gaudi2, {
  name = "Gaudi 3 128GB", peak = "1835 TFLOP/s", peak_fp8 = "1835 TFLOP/s", sms = 64,
  memory = "127 GiB", memory_bandwidth = "3.7 TB/s", domain_bandwidth = "525 GB/s",
  network_bandwidth = "75 GB/s", power = "900 W", sources = sources("Intel, Gaudi 3 white paper"),
})
machines.trn2 = {
  name = "Trainium2", family = "other", peak = "667 TFLOP/s", peak_fp8 = "1299 TFLOP/s", sms = 8,
  memory = "95 GiB", memory_bandwidth = "2.9 TB/s", domain = 16, node = 16,
  domain_bandwidth = "256 GB/s", network_bandwidth = "25 GB/s", power = "500 W",
  idle_power = "100 W", host_power = "150 W",
  sources = sources("AWS, Trainium2 architecture documentation"),
}
machines.tpu_v4 = {
  name = "TPU v4", family = "other", peak = "275 TFLOP/s", sms = 8, memory = "32 GiB",
  memory_bandwidth = "1.2 TB/s", domain = 4096, domain_bandwidth = "150 GB/s",
  network_bandwidth = "6 GB/s", power = "192 W", idle_power = "90 W", host_power = "60 W",
  sources = sources("Jouppi et al. (2023), TPU v4"),
}
machines.tpu_v3 = like(machines.tpu_v4, { name = "TPU v3", peak = "123 TFLOP/s", sms = 4,
  memory_bandwidth = "900 GB/s", domain = 1024, domain_bandwidth = "100 GB/s" })

local function tpu(name, peak, fp8, memory, bandwidth, links)
  return like(machines.tpu_v4, { name = name, peak = peak .. " TFLOP/s", peak_fp8 = fp8
    .. " TFLOP/s", memory = memory .. " GiB", memory_bandwidth = bandwidth .. " GB/s",
    domain = 256, domain_bandwidth = links .. " GB/s",
    sources = sources("Google Cloud, TPU system architecture") })
end
machines.tpu_v2 = tpu("TPU v2", 45, 0, 16, 700, 62)
machines.tpu_v5e = tpu("TPU v5e", 197, 0, 16, 819, 100)
machines.tpu_v5p = tpu("TPU v5p", 459, 0, 95, 2765, 300)
machines.tpu_v6e = tpu("TPU v6e", 918, 0, 32, 1640, 224)

machines.order = {
  "a100", "a100_40", "a100_pcie", "a800", "h100", "h100_pcie", "h100_nvl", "h800", "h200", "h20",
  "gh200", "b100", "b200", "gb200", "b300", "gb300", "v100", "v100_16", "p100", "gtx580", "t4",
  "a10", "a30", "a40", "a6000", "l4", "l40", "l40s", "rtx3090", "rtx4090", "mi250x", "mi300x",
  "mi325x", "mi355x", "gaudi2", "gaudi3", "trn2", "tpu_v2", "tpu_v3", "tpu_v4", "tpu_v5e",
  "tpu_v5p", "tpu_v6e",
}

return machines
