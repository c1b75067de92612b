"""The parts of the server that pages need: addresses, scripts, queue, start and end.

Reading order; a module imports only those before it:

    addresses     the server's own addresses, below `server.baseUrlPath`
    assets        the components' scripts
    start         imports in a thread, `/ready`, and garbage that is not walked again
    log           what repeats is written once a minute
    incoming      where a request comes from, and how long it is
    sockets       each message is sent at once
    memory        freed memory goes back to the system
    scheduler     which reruns of pages compute now
    sessions      those of closed tabs end
    threads       a few for work that may have to wait
    shutdown      the end, within 4 s
"""
