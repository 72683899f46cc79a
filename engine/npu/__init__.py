"""Room `npu`: devices, timing, memory, energy and heat of a simulated NPU."""

from engine.npu.answers import Answers, answers, cool_clock
from engine.npu.device import Device, DeviceInfo, Quantity
from engine.npu.formats import supports
from engine.npu.profiles import list_devices, load_device, save_device
from engine.npu.roofline import Point, Roof, roof, roofline_points
from engine.npu.simulate import latency_us, plan_memory, simulate, workloads
from engine.npu.sustain import sustain
from engine.npu.workload import Workload

__all__ = [
    "Answers",
    "Device",
    "DeviceInfo",
    "Point",
    "Quantity",
    "Roof",
    "Workload",
    "answers",
    "cool_clock",
    "latency_us",
    "list_devices",
    "load_device",
    "plan_memory",
    "roof",
    "roofline_points",
    "save_device",
    "simulate",
    "supports",
    "sustain",
    "workloads",
]
