"""What the text of a notebook says: scopes, flow, liveness, definitions, and the cell graph."""
