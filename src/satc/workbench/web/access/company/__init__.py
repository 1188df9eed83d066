"""The login of the company: by a header of a proxy, or by OpenID Connect."""
