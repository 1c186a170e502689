"""CDK constructs for GPU clusters on AWS."""

from ultracluster.moved import install

install()
