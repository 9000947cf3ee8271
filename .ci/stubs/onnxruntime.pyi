from typing import Any

class SessionOptions:
    intra_op_num_threads: int
    inter_op_num_threads: int
    log_severity_level: int
    def add_session_config_entry(self, key: str, value: str) -> None: ...

class RunOptions:
    terminate: bool

class OrtAllocatorType:
    ORT_ARENA_ALLOCATOR: int

class OrtMemType:
    DEFAULT: int

class OrtMemoryInfo:
    def __init__(self, name: str, allocator: int, device: int, kind: int) -> None: ...

class OrtArenaCfg:
    def __init__(self, settings: dict[str, int]) -> None: ...

def create_and_register_allocator(memory: OrtMemoryInfo, arena: OrtArenaCfg) -> None: ...

class NodeArg:
    name: str
    type: str

class InferenceSession:
    def __init__(
        self, model: bytes, options: SessionOptions, *, providers: list[str], disabled_optimizers: list[str]
    ) -> None: ...
    def get_inputs(self) -> list[NodeArg]: ...
    def get_outputs(self) -> list[NodeArg]: ...
    def run(self, outputs: list[str], inputs: dict[str, Any], options: RunOptions) -> list[Any]: ...
