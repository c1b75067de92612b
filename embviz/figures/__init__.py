"""Results in; Plotly figures, and tables for a page, out. No Streamlit; nothing is measured.

Reading order; a module imports only those before it:

    layout           a new figure, its layout and labels
    axes             ranges and ticks of log axes
    shades           variants of a colour
    heat_map         numbers as coloured cells
    histogram        a table's numbers against what its init promises
    one_hot          a mark for each 1
    layers_chart     cosines through every layer
    training_charts  losses, and the map of the rows
    stage_svg        the playground's picture as an SVG
    output_tables    results as pandas tables
    timing/          the chart of runs, and its numbers
"""
