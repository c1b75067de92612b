"""The elements that several pages draw with: widgets, charts, links, components.

Reading order; a module imports only those before it:

    refusal    the sentence, and a button for each fix
    failure    mistakes and failures: the rest of the page stays
    widgets    each shows its setting, and a change of it changes the address
    links      the begin and the end of every page
    taken      what was left out of a table, and the other way
    unknown    what of the text has no id
    theme      the colours in use
    chart      a plotly chart with a text for screen readers
    download   the button that downloads a file
    scripts    ES modules, and one bundle of a component's modules
    component  components whose files the browser caches
    ask        what a component that follows typing asks the route
"""
