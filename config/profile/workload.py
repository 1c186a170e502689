"""What a cluster is for, as a profile states it."""

from typing import Annotated, Literal

from pydantic import Field

from config.profile.base import Model

Precision = Literal["bf16", "fp8", "fp4"]
Recomputation = Literal["none", "selective", "full"]
Sharding = Literal["none", "optimizer", "gradients", "weights"]


class Parallelism(Model):
    """How a training run is split over the GPUs; GPUs of a tensor group come first, pipeline stages last."""

    tensor: Annotated[
        int, Field(ge=1, le=4096, description="GPUs that share each layer; with sequence parallelism.")
    ] = 1
    pipeline: Annotated[int, Field(ge=1, le=4096, description="Stages that the layers are cut into.")] = 1
    context: Annotated[int, Field(ge=1, le=4096, description="GPUs that share each sequence.")] = 1
    data: Annotated[
        int | None,
        Field(ge=1, le=10**6, description="Replicas of the model; default: as many as the GPUs allow."),
    ] = None
    expert: Annotated[
        int,
        Field(
            ge=1,
            le=10**6,
            description="GPUs that the experts of a layer lie on, each expert on one; they are taken from the tensor, "
            "context and data groups of a stage. 1: experts are split as the other layers are.",
        ),
    ] = 1


class TrainingBytes(Model):
    """Bytes of GPU memory for each parameter, before anything is sharded: by default mixed precision with Adam."""

    weights: Annotated[float, Field(ge=0.5, le=16, description="Bytes of weights: 2 in bf16.")] = 2
    gradients: Annotated[
        float, Field(ge=0, le=16, description="Bytes of gradients: 2 in bf16, 4 in fp32.")
    ] = 2
    optimizer: Annotated[
        float,
        Field(
            ge=0,
            le=64,
            description="Bytes of the optimizer's states: fp32 weights and both moments of Adam are 12.",
        ),
    ] = 12


class Workload(Model):
    """What the cluster is for: the storage plan, the fit to the model and their advice follow from it."""

    parameters: Annotated[
        float, Field(ge=1, le=1e18, description="Parameters of the model, all experts counted: 405e9.")
    ]
    bytes_per_parameter: Annotated[
        float,
        Field(
            ge=0.1,
            le=1000,
            description="Bytes that a checkpoint holds per parameter: 14 is Adam with fp32 master weights, 2 bf16 "
            "weights alone.",
        ),
    ] = 14
    experts: Annotated[
        int,
        Field(
            ge=0,
            le=100000,
            description="Experts of a layer in a mixture of experts; 0: a dense model. More of them than GPUs in an "
            "NVLink domain exchange tokens over EFA.",
        ),
    ] = 0
    kept_checkpoints: Annotated[
        int,
        Field(
            ge=1,
            le=10000,
            description="Checkpoints that stay on the file system; the one being written comes on top.",
        ),
    ] = 3
    datasets_gib: Annotated[
        int, Field(ge=0, le=10**9, description="Space in GiB for everything that is no checkpoint.")
    ] = 0
    checkpoint_target_s: Annotated[
        float | None,
        Field(
            ge=0.001, le=1e7, description="Seconds that writing a checkpoint may take; default: any number."
        ),
    ] = None
    checkpoint_interval_s: Annotated[
        float | None,
        Field(
            ge=0.001,
            le=1e8,
            description="Seconds of training between two checkpoints; default: what loses least (Young/Daly).",
        ),
    ] = None
    mtbf_hours: Annotated[
        float | None,
        Field(
            ge=0.001,
            le=1e7,
            description="Mean time between failures of the whole run in hours; default: from the number of GPUs, at "
            "the rate that Meta published for Llama 3 on H100.",
        ),
    ] = None
    active_parameters: Annotated[
        float | None,
        Field(
            ge=1,
            le=1e18,
            description="Parameters that one token goes through, in a mixture of experts: 37e9.",
        ),
    ] = None
    layers: Annotated[int | None, Field(ge=1, le=10000, description="Layers of the model.")] = None
    hidden_size: Annotated[int | None, Field(ge=1, le=10**6, description="Width of the model.")] = None
    heads: Annotated[int | None, Field(ge=1, le=100000, description="Attention heads of a layer.")] = None
    kv_heads: Annotated[
        int | None,
        Field(
            ge=1, le=100000, description="Heads of keys and values of a layer; default: as many as `heads`."
        ),
    ] = None
    feed_forward_size: Annotated[
        int | None,
        Field(
            ge=1,
            le=10**7,
            description="Inner width of the feed-forward block, of one expert in a mixture; default: the block of GPT, "
            "4 times `hidden_size` without a gate.",
        ),
    ] = None
    gated_feed_forward: Annotated[
        bool,
        Field(
            description="Whether a stated feed-forward block has a gate (SwiGLU), as those of Llama and DeepSeek have."
        ),
    ] = True
    vocabulary: Annotated[int | None, Field(ge=1, le=10**8, description="Tokens of the vocabulary.")] = None
    experts_per_token: Annotated[
        int | None, Field(ge=1, le=100000, description="Experts that one token goes to (top-k).")
    ] = None
    sequence_length: Annotated[int | None, Field(ge=1, le=10**8, description="Tokens of a sequence.")] = None
    global_batch_sequences: Annotated[
        int | None, Field(ge=1, le=10**9, description="Sequences of one step over all replicas.")
    ] = None
    global_batch_tokens: Annotated[
        float | None,
        Field(ge=1, le=1e15, description="The same in tokens, rounded to whole sequences: 16e6."),
    ] = None
    micro_batch: Annotated[
        int, Field(ge=1, le=10**6, description="Sequences that a replica takes at a time.")
    ] = 1
    training_tokens: Annotated[
        float | None, Field(ge=1, le=1e18, description="Tokens of the whole run: 15.6e12.")
    ] = None
    precision: Annotated[
        Precision, Field(description="In which the matrices are multiplied; attention itself stays in bf16.")
    ] = "bf16"
    training_bytes: Annotated[TrainingBytes, Field(description="Bytes of GPU memory for each parameter.")] = (
        TrainingBytes.model_construct()
    )
    sharding: Annotated[
        Sharding,
        Field(
            description="What the replicas share out among each other: nothing, the states of the optimizer (ZeRO-1), "
            "also the gradients (ZeRO-2), also the weights (ZeRO-3, FSDP)."
        ),
    ] = "optimizer"
    activation_recomputation: Annotated[
        Recomputation,
        Field(
            description="What is computed again in the backward pass: nothing, the attention scores (as "
            "FlashAttention does) or whole layers."
        ),
    ] = "selective"
    parallelism: Annotated[
        Parallelism | None,
        Field(description="How the run is split; default: the plan looks for splits that fit."),
    ] = None
