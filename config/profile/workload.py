"""The workload of a cluster, as a profile declares it."""

from typing import Annotated, Literal

from pydantic import Field

from config.profile.base import Model

Precision = Literal["bf16", "fp8", "fp4"]
Recomputation = Literal["none", "selective", "full"]
Sharding = Literal["none", "optimizer", "gradients", "weights"]


class Parallelism(Model):
    """Split of a training run over the GPUs: tensor groups are the innermost level, stages the outermost."""

    tensor: Annotated[
        int, Field(ge=1, le=4096, description="GPUs that share each layer, with sequence parallelism.")
    ] = 1
    pipeline: Annotated[int, Field(ge=1, le=4096, description="Stages of the pipeline.")] = 1
    context: Annotated[int, Field(ge=1, le=4096, description="GPUs that share each sequence.")] = 1
    data: Annotated[
        int | None,
        Field(ge=1, le=10**6, description="Replicas of the model; default: the number that uses all GPUs."),
    ] = None
    expert: Annotated[
        int,
        Field(
            ge=1,
            le=10**6,
            description="GPUs over which the experts of a layer are spread, each expert on one GPU. They belong to the "
            "tensor, context and data groups of a stage. 1: experts are split like the other layers.",
        ),
    ] = 1


class TrainingBytes(Model):
    """Bytes of GPU memory per parameter before sharding; the defaults are for mixed precision with Adam."""

    weights: Annotated[float, Field(ge=0.5, le=16, description="Bytes of weights: 2 in bf16.")] = 2
    gradients: Annotated[
        float, Field(ge=0, le=16, description="Bytes of gradients: 2 in bf16, 4 in fp32.")
    ] = 2
    optimizer: Annotated[
        float,
        Field(
            ge=0,
            le=64,
            description="Bytes of optimizer state: 12 for fp32 weights and the two states of Adam.",
        ),
    ] = 12


class Workload(Model):
    """The model that is trained; the checkpoint plan and the fit estimates are derived from it."""

    parameters: Annotated[
        float,
        Field(ge=1, le=1e18, description="Parameters of the model, including all experts, such as 405e9."),
    ]
    bytes_per_parameter: Annotated[
        float,
        Field(
            ge=0.1,
            le=1000,
            description="Bytes per parameter in a checkpoint: 14 for Adam with fp32 master weights, 2 for bf16 weights "
            "only.",
        ),
    ] = 14
    experts: Annotated[
        int,
        Field(
            ge=0,
            le=100000,
            description="Experts per layer in a mixture of experts; 0: a dense model. If there are more experts than GPUs "
            "in an NVLink domain, tokens can be exchanged over EFA.",
        ),
    ] = 0
    kept_checkpoints: Annotated[
        int,
        Field(
            ge=1,
            le=10000,
            description="Checkpoints that are kept on the file system, in addition to the one being written.",
        ),
    ] = 3
    datasets_gib: Annotated[
        int, Field(ge=0, le=10**9, description="Space in GiB for data other than checkpoints.")
    ] = 0
    checkpoint_target_s: Annotated[
        float | None,
        Field(ge=0.001, le=1e7, description="Maximum seconds for writing a checkpoint; default: no limit."),
    ] = None
    checkpoint_interval_s: Annotated[
        float | None,
        Field(
            ge=0.001,
            le=1e8,
            description="Seconds of training between two checkpoints; default: the optimum of Young and Daly.",
        ),
    ] = None
    mtbf_hours: Annotated[
        float | None,
        Field(
            ge=0.001,
            le=1e7,
            description="Mean time between failures of the whole run in hours; default: estimated from the number of "
            "GPUs and the rate that Meta published for Llama 3 on H100.",
        ),
    ] = None
    active_parameters: Annotated[
        float | None,
        Field(
            ge=1,
            le=1e18,
            description="Parameters that each token uses in a mixture of experts, such as 37e9.",
        ),
    ] = None
    layers: Annotated[int | None, Field(ge=1, le=10000, description="Layers of the model.")] = None
    hidden_size: Annotated[
        int | None, Field(ge=1, le=10**6, description="Hidden size (width) of the model.")
    ] = None
    heads: Annotated[int | None, Field(ge=1, le=100000, description="Attention heads per layer.")] = None
    kv_heads: Annotated[
        int | None,
        Field(ge=1, le=100000, description="Key and value heads per layer; default: the same as `heads`."),
    ] = None
    feed_forward_size: Annotated[
        int | None,
        Field(
            ge=1,
            le=10**7,
            description="Inner width of the feed-forward layer, or of one expert. Default: 4 times `hidden_size` without "
            "a gate, as in GPT.",
        ),
    ] = None
    gated_feed_forward: Annotated[
        bool,
        Field(
            description="True: the feed-forward layer with `feed_forward_size` has a gate (SwiGLU), as in Llama and DeepSeek."
        ),
    ] = True
    vocabulary: Annotated[
        int | None, Field(ge=1, le=10**8, description="Size of the vocabulary in tokens.")
    ] = None
    experts_per_token: Annotated[
        int | None, Field(ge=1, le=100000, description="Experts that process each token (top-k).")
    ] = None
    sequence_length: Annotated[
        int | None, Field(ge=1, le=10**8, description="Sequence length in tokens.")
    ] = None
    global_batch_sequences: Annotated[
        int | None, Field(ge=1, le=10**9, description="Sequences per step over all replicas.")
    ] = None
    global_batch_tokens: Annotated[
        float | None,
        Field(
            ge=1,
            le=1e15,
            description="Tokens per step over all replicas, rounded to whole sequences, such as 16e6.",
        ),
    ] = None
    micro_batch: Annotated[
        int, Field(ge=1, le=10**6, description="Sequences per micro-batch of a replica.")
    ] = 1
    training_tokens: Annotated[
        float | None, Field(ge=1, le=1e18, description="Tokens of the whole training run, such as 15.6e12.")
    ] = None
    precision: Annotated[
        Precision, Field(description="Precision of matrix multiplications; attention always uses bf16.")
    ] = "bf16"
    training_bytes: Annotated[TrainingBytes, Field(description="Bytes of GPU memory per parameter.")] = (
        TrainingBytes.model_construct()
    )
    sharding: Annotated[
        Sharding,
        Field(
            description="Data that is sharded over the replicas. `optimizer`: the optimizer state (ZeRO-1), "
            "`gradients`: also the gradients (ZeRO-2), `weights`: also the weights (ZeRO-3, FSDP)."
        ),
    ] = "optimizer"
    activation_recomputation: Annotated[
        Recomputation,
        Field(
            description="Activations that are recomputed in the backward pass. `selective`: attention scores, "
            "as with FlashAttention, `full`: whole layers."
        ),
    ] = "selective"
    parallelism: Annotated[
        Parallelism | None,
        Field(description="Split of the run over the GPUs; default: the plan searches for splits that fit."),
    ] = None
