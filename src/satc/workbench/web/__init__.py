"""The web application: authentication, API, pages and the server."""
