"""A class together: a vote on shared numbers, kept before anybody is told.

A class has a code, the labs that its teacher has opened, and a seed that stays on the server. A
browser's cookie is one member with a random pseudonym. There are no names and no addresses.

Reading order; a module imports only those before it:

    room      where a class stands, and the errors
    names     codes and pseudonyms
    members   the row of a browser
    snapshot  what one transaction reads: a class, its members and their answers
    presses   what a teacher may press
    lifetime  which classes go by themselves
    file      the SQLite file, and one transaction for each call
    store     keeps answers with their verdicts, and decides what a vote allows
    here      the store of this server
    visit     where a student's page is
    fitting   the refusal of a kept class whose labs have changed
    board     the tables of a board
    pace      how often all together may try a word or a code
    visits    the students whose page of a class is open
    routes    what sets a cookie, and what students' pages ask
    page/     a student's page, and the board
"""
