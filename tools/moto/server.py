"""Starts moto's server for a deployment of the whole stack, without two of its errors."""

from moto.cloudformation import models, parsing
from moto.server import main

# moto's validator refuses what cfn-lint only warns about; test/lambda/cloudformation.test.ts lints the template.
models.validate_template_cfn_lint = lambda template: []

# CloudFormation removes AWS::NoValue from lists; moto leaves None in place of it.
clean_json = parsing.clean_json


def without_no_value(part, resources):
    cleaned = clean_json(part, resources)
    return [item for item in cleaned if item is not None] if isinstance(cleaned, list) else cleaned


parsing.clean_json = without_no_value

main()
