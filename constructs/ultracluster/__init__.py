"""CDK constructs for GPU clusters on AWS: props in, resources out."""

from ultracluster.moved import install

install()
