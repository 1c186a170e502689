"""CloudFormation as this project needs it: what AWS refuses is refused, and what fails is rolled back."""
