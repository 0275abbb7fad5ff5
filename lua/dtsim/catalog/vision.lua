--- Convolutional networks as lists of layers: plain data. dtsim.vision.NAME is made from it.
-- May use: nothing.

local vision = { order = { "alexnet", "resnet50" } }

vision.alexnet = {
  name = "AlexNet", published = 60965224,
  source = "Krizhevsky, Sutskever and Hinton (2012), section 3.5; groups as split over two GPUs",
  { name = "conv1", inputs = 3, outputs = 96, conv = 11, stride = 4, pad = 0, size = 227 },
  { name = "conv2", inputs = 96, outputs = 256, conv = 5, size = 27, groups = 2 },
  { name = "conv3", inputs = 256, outputs = 384, conv = 3, size = 13 },
  { name = "conv4", inputs = 384, outputs = 384, conv = 3, size = 13, groups = 2 },
  { name = "conv5", inputs = 384, outputs = 256, conv = 3, size = 13, groups = 2 },
  { name = "fc6", inputs = 9216, outputs = 4096 },
  { name = "fc7", inputs = 4096, outputs = 4096 },
  { name = "fc8", inputs = 4096, outputs = 1000 },
}

local resnet = {
  name = "ResNet-50", published = 25557032,
  source = "He et al. (2015), table 1; convolutions without bias, a norm's scale and shift each",
  { name = "conv1", inputs = 3, outputs = 64, conv = 7, stride = 2, size = 224, bias = false },
}
local inputs, size = 64, 56
for stage, spec in ipairs({ { 64, 3 }, { 128, 4 }, { 256, 6 }, { 512, 3 } }) do
  local width, blocks = spec[1], spec[2]
  for block = 1, blocks do
    local stride = (block == 1 and stage > 1) and 2 or 1
    local function add(name, ins, outs, window, step, side)
      resnet[#resnet + 1] = { name = ("conv%d_%d%s"):format(stage + 1, block, name), inputs = ins,
        outputs = outs, conv = window, stride = step, size = side, bias = false }
    end
    add("a", inputs, width, 1, 1, size)
    add("b", width, width, 3, stride, size)
    local out = size // stride
    add("c", width, 4 * width, 1, 1, out)
    if block == 1 then add("s", inputs, 4 * width, 1, stride, size) end
    inputs, size = 4 * width, out
  end
end
resnet[#resnet + 1] = { name = "fc", inputs = 2048, outputs = 1000 }
-- Scale and shift of the norms after the 53 convolutions.
resnet.norm_params = 53120

vision.resnet50 = resnet

return vision
