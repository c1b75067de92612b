"""A class together: a teacher sees answers as they come. No Streamlit here.

A class has a code and a lab. A member is a browser's random token; its pseudonym and the lab's
values follow from it. The store keeps answers of members and what the teacher pressed; verdicts are
computed again from them. There are no names and no addresses.
"""
