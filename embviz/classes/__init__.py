"""A class together: a vote on shared numbers, kept before anybody is told. No Streamlit here.

A class has a code, a lab and a seed that stays on the server. A member is a browser's cookie with a
random pseudonym. `store` keeps answers with their verdicts and decides what a vote allows; `board`
makes the tables of it. There are no names and no addresses.
"""
