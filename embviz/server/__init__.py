"""The server for a class: start, gate, scheduler, routes, shutdown. `app.py` puts them together.

Reading order; a module imports only those before it:

    addresses     the server's own addresses, below `server.baseUrlPath`
    assets        the components' scripts
    start         imports in a thread, `/ready`, and garbage that is not walked again
    log           what repeats is written once a minute
    incoming      where a request comes from, and how long it is
    headers       what a page may load, and who may show it
    preflight     checks at the start, before anybody is served
    messages      which messages of a browser pass
    connections   as many as the system allows
    gate          how many may be connected, and what strangers may not ask for
    sockets       each message is sent at once
    memory        freed memory goes back to the system
    sessions      those of closed tabs end
    uploads       bounds of what is kept of them
    scheduler     which reruns of pages compute now
    threads       a few for work that may have to wait
    live          the route of typed text
    pace          how often all together may try a word or a code
    class_visits  the students whose page of a class is open
    class_routes  the routes of classes
    shutdown      the end, within 4 s
"""
