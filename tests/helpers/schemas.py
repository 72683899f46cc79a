"""Public schemas of the text protos that exports write, as data, and a parser made of them.

Field names, numbers and types are those of AMCT's calibration, retrain and record messages, of ATC's AIPP, and
of dopt's configuration; a line is "label type name number".
"""

from __future__ import annotations

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory, text_format

CALIBRATION = {
    "AMCTConfig": """
        optional uint32 batch_num 1
        optional bool activation_offset 2
        repeated string skip_layers 10
        repeated string skip_layer_types 11
        optional CalibrationConfig common_config 50
        repeated OverrideLayerType override_layer_types 51
        repeated OverrideLayer override_layer_configs 100
        optional bool do_fusion 200
        repeated string skip_fusion_layers 201""",
    "OverrideLayerType": """
        required string layer_type 1
        required CalibrationConfig calibration_config 2""",
    "OverrideLayer": """
        required string layer_name 1
        required CalibrationConfig calibration_config 2""",
    "CalibrationConfig": """
        optional ARQuantize arq_quantize 13
        optional FMRQuantize ifmr_quantize 100""",
    "ARQuantize": """
        optional bool channel_wise 1
        optional uint32 quant_bits 10""",
    "FMRQuantize": """
        optional float search_range_start 1
        optional float search_range_end 2
        optional float search_step 3
        optional float max_percentile 4
        optional float min_percentile 5
        optional bool asymmetric 6
        optional CalibrationDataType dst_type 10""",
    "enum CalibrationDataType": "INT8 1\nINT16 2",
}

RECORD = {
    "ScaleOffsetRecord": "repeated MapFiledEntry record 1",
    "MapFiledEntry": """
        optional string key 1
        optional SingleLayerRecord value 2""",
    "SingleLayerRecord": """
        optional float scale_d 1
        optional int32 offset_d 2
        repeated float scale_w 3
        repeated int32 offset_w 4
        repeated uint32 shift_bit 5
        optional bool skip_fusion 9
        optional string act_type 11
        optional string wts_type 12""",
}

RETRAIN = {
    "AMCTRetrainConfig": """
        optional uint32 batch_num 1
        optional RetrainDataQuantConfig retrain_data_quant_config 2
        optional RetrainWeightQuantConfig retrain_weight_quant_config 3
        repeated string skip_layers 4
        repeated RetrainOverrideLayer override_layer_configs 5
        repeated string skip_layer_types 6
        repeated string quant_skip_layers 11
        repeated string quant_skip_types 12""",
    "RetrainOverrideLayer": """
        required string layer_name 1
        optional RetrainDataQuantConfig retrain_data_quant_config 2
        optional RetrainWeightQuantConfig retrain_weight_quant_config 3""",
    "RetrainDataQuantConfig": "optional ActULQquantize ulq_quantize 13",
    "ActULQquantize": """
        optional ClipMaxMin clip_max_min 1
        optional bool fixed_min 2
        optional DataType dst_type 3""",
    "ClipMaxMin": """
        required float clip_max 3
        required float clip_min 5""",
    "RetrainWeightQuantConfig": """
        optional ARQRetrain arq_retrain 1
        optional ARQRetrain ulq_retrain 2""",
    "ARQRetrain": """
        optional DataType dst_type 1
        optional bool channel_wise 2""",
    "enum DataType": "INT4 0\nINT8 1\nINT16 2",
}

DOPT = {
    "Config": """
        optional string strategy 1
        required Device device 2
        repeated Preprocess preprocess_parameter 3
        repeated string exclude_op 4""",
    "Preprocess": """
        required InputType input_type 1
        optional ImageFormat image_format 2
        required string input_file_path 3
        repeated float mean_value 4
        optional float standard_deviation 5""",
    "enum Device": "USE_CPU 0\nUSE_GPU 1",
    "enum InputType": "IMAGE 0\nBINARY 1",
    "enum ImageFormat": "BGR 0\nRGB 1",
}

AIPP = {
    "InsertOps": "repeated AippOp aipp_op 1",
    "AippOp": """
        required AippMode aipp_mode 1
        optional uint32 related_input_rank 2
        optional InputFormat input_format 3
        optional int32 src_image_size_w 4
        optional int32 src_image_size_h 5
        optional bool crop 6
        optional int32 load_start_pos_w 7
        optional int32 load_start_pos_h 8
        optional int32 crop_size_w 9
        optional int32 crop_size_h 10
        optional bool csc_switch 11
        optional bool rbuv_swap_switch 12
        optional int32 mean_chn_0 13
        optional int32 mean_chn_1 14
        optional int32 mean_chn_2 15
        optional float min_chn_0 17
        optional float min_chn_1 18
        optional float min_chn_2 19
        optional float var_reci_chn_0 21
        optional float var_reci_chn_1 22
        optional float var_reci_chn_2 23""",
    "enum AippMode": "undefined 0\nstatic 1\ndynamic 2",
    "enum InputFormat": "YUV420SP_U8 1\nXRGB8888_U8 2\nRGB888_U8 3\nYUV400_U8 4",
}
"""AIPP field numbers are not published; only names and types matter for text."""


def read(schema: dict[str, str], root: str, text: str):
    """Parse a text proto; text_format.ParseError if it doesn't fit the schema."""
    return text_format.Parse(text, message_factory.GetMessageClass(_pool(schema).FindMessageTypeByName(f"t.{root}"))())


def _pool(schema: dict[str, str]) -> descriptor_pool.DescriptorPool:
    field = descriptor_pb2.FieldDescriptorProto
    file = descriptor_pb2.FileDescriptorProto(name="t.proto", package="t", syntax="proto2")
    enums = {name.removeprefix("enum ") for name in schema if name.startswith("enum ")}
    for name, body in schema.items():
        lines = [line.split() for line in body.strip().splitlines()]
        if name.startswith("enum "):
            values = file.enum_type.add(name=name.removeprefix("enum ")).value
            for word, number in lines:
                values.add(name=word, number=int(number))
            continue
        message = file.message_type.add(name=name)
        for label, kind, own, number in lines:
            made = message.field.add(name=own, number=int(number), label=getattr(field, f"LABEL_{label.upper()}"))
            if f"TYPE_{kind.upper()}" in field.Type.keys():  # noqa: SIM118 - an enum wrapper, no dict
                made.type = getattr(field, f"TYPE_{kind.upper()}")
            else:
                made.type = field.TYPE_ENUM if kind in enums else field.TYPE_MESSAGE
                made.type_name = f".t.{kind}"
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return pool
