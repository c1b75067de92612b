// Reads the bytes that payload.py packs.

const ARRAYS = {
  int32: Int32Array, uint16: Uint16Array, uint8: Uint8Array,
  float32: Float32Array, float64: Float64Array,
};

function unpack(bytes) {
  // Streamlit's array may start anywhere in its buffer; typed arrays need alignment.
  const buffer = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
  const length = new DataView(buffer).getUint32(0, true);
  const data = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, length)));
  let offset = 4 + length;
  for (const [name, type, size] of data.arrays) {
    data[name] = new ARRAYS[type](buffer, offset, size);
    offset += Math.ceil(data[name].byteLength / 8) * 8;
  }
  data.matmul ??= data.lookup; // sent only if a bit of it differs
  data.last = data.firstToken + data.ids.length;
  data.slotOf = new Map(Array.from(data.ids, (id, i) => [id, data.slot[i]]));
  return data;
}

const loaded = (data, token) => token >= data.firstToken && token < data.last;
const idAt = (data, token) => data.ids[token - data.firstToken];
const labelAt = (data, token) => data.labels[data.slot[token - data.firstToken]];

// One number of an output; dim counts from the first loaded dimension.
const outputAt = (data, route, token, dim) =>
  data[route][data.slot[token - data.firstToken] * data.dimsLoaded + dim];

const differsAt = (data, token, dim) =>
  Boolean(data.differs?.[data.slot[token - data.firstToken] * data.dimsLoaded + dim]);

// W[row, dim], from the window or from a looked-up row; undefined where neither was sent.
function weightAt(data, row, dim) {
  const place = row - data.firstRow;
  if (place >= 0 && place < data.rowsLoaded) return data.table[place * data.dimsLoaded + dim];
  const slot = data.slotOf.get(row);
  return slot === undefined ? undefined : data.lookup[slot * data.dimsLoaded + dim];
}

// Whether two tokens, of two results, look the same: id, label, all numbers of both routes, and which differ.
function sameToken(before, was, data, token) {
  if (idAt(before, was) !== idAt(data, token) || before.dimsLoaded !== data.dimsLoaded) return false;
  const [a, b] = [labelAt(before, was), labelAt(data, token)];
  if (a.label !== b.label || a.standIn !== b.standIn) return false;
  for (let dim = 0; dim < data.dimsLoaded; dim++) {
    if (!Object.is(outputAt(before, "lookup", was, dim), outputAt(data, "lookup", token, dim))) return false;
    if (!Object.is(outputAt(before, "matmul", was, dim), outputAt(data, "matmul", token, dim))) return false;
    if (differsAt(before, was, dim) !== differsAt(data, token, dim)) return false;
  }
  return true;
}

// Whether two results hold the same part of the same table.
function sameTable(before, data) {
  return ["rows", "dims", "firstRow", "firstDim", "dimsLoaded", "scale", "whole", "unit"].every((name) => before[name] === data[name])
    && sameItems(before.rowLabels, data.rowLabels) && sameItems(before.table, data.table);
}

function sameItems(before, items) {
  if (before.length !== items.length) return false;
  for (let i = 0; i < items.length; i++) if (!Object.is(before[i], items[i])) return false;
  return true;
}

// The index of a flat token in the ids' own shape: 3 in a (2, 2) is [1, 1].
function indexOf(data, token) {
  const index = [];
  for (let axis = data.shape.length - 1; axis >= 0; axis--) {
    index.unshift(token % data.shape[axis]);
    token = Math.floor(token / data.shape[axis]);
  }
  return index;
}

const COUNT = new Intl.NumberFormat("en-US");
const count = (number) => COUNT.format(number);
