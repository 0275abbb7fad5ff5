-- How long should AlexNet have taken on the two GPUs that trained it?
--
-- The run that was made in 2012: two GTX 580 with 3 GB, 90 passes over 1.2 million images, batches
-- of 128, half of the kernels on each card. Here by the same GPU model as everything else.
--
-- Source: Krizhevsky, Sutskever and Hinton (2012), "ImageNet classification with deep convolutional
-- neural networks", sections 3 and 5.
-- Published answer: five to six days.

local dtsim = require "dtsim"

dtsim.arguments(arg, [[
usage: dtsim alexnet_actual.lua [--out DIR]
Prints the time of AlexNet's training by the GPU model, beside what it took.]], {out = "."})

local images, epochs, batch, gpus = 1.2e6, 90, 128, 2
local published_days = {5, 6}

local gtx580 = dtsim.gpus.gtx580
local alexnet = dtsim.layers(dtsim.vision.alexnet)
local step = alexnet:time(gtx580, batch, gpus)
local steps = images * epochs / batch

-- Activations that one card needs of the other: before conv3 and the three full layers, forward and
-- their gradients backward, over PCI Express.
local exchanged = (13 * 13 * 128 + 6 * 6 * 128 + 2048 + 2048) * batch * 4 * 2
local pcie = exchanged / dtsim.units.parse("6 GB/s")

print(tostring(alexnet))
print(tostring(gtx580))
print(("One step of %d images on two cards: matmuls and convolutions %.0f ms, memory %.0f ms, "
    .. "exchange %.1f ms\n"):format(batch, 1e3 * step.matmul, 1e3 * step.memory, 1e3 * pcie))
local rows = {{"layer", "ms", "share"}}
for i, seconds in ipairs(step.layers) do
    rows[#rows + 1] = {alexnet.list[i].name, ("%.1f"):format(1e3 * seconds),
        ("%.0f %%"):format(100 * seconds / step.matmul)}
end
print(dtsim.align(rows))

local seconds = step.time + pcie
local days = steps * seconds / 86400
local flop = step.flop * gpus * steps
local reached = flop / (published_days[1] + published_days[2]) * 2 / 86400 / gpus
print(("\n%d steps: %.1f days by the GPU model alone; published: %d to %d days."):format(
    steps // 1, days, published_days[1], published_days[2]))
print(("The run therefore reached %.0f to %.0f %% of the model's pace: %.0f GFLOP/s a card, "
    .. "%.0f %%"):format(100 * days / published_days[2], 100 * days / published_days[1],
        reached / 1e9, 100 * reached / gtx580.peak))
print "of its peak. The model knows large matrix products as later libraries run them; the"
print "convolution kernels of 2012, pooling, response normalization and tests between epochs are"
print "not in it."
