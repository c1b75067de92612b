// Labels: the places that they take, and how they are shortened.

// The places that a label takes in a face of fixed width: a Chinese character or an emoji takes two.
export const placesOf = (label) => [...label].reduce((sum, character) => sum + (character >= "\u2e80" ? 2 : 1), 0);

// A label of at most so many characters; the last one then says that there are more.
export const shortened = (label, most = 8) => ([...label].length > most ? `${[...label].slice(0, most - 1).join("")}…` : label);
