"""A class together: a vote on shared numbers, kept before anybody is told. No Streamlit here.

A class has a code, the labs that its teacher has opened, and a seed that stays on the server. A
browser's cookie is one member with a random pseudonym. `store` keeps answers with their verdicts
and decides what a vote allows. `presses` has what a teacher may press, `members` the rows of a
browser, `snapshot` what is read at once. `board` makes the tables of it. There are no names and no
addresses.
"""
