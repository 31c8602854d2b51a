/**
 * The commands of `tools/`: what they are called, and where they are. Each is imported when it is called, so that a server
 * loads none of them. This is the one place in `src` that knows `tools/`.
 *
 * @module
 */
import type { Command, Option } from './command.ts'

const TASK = { operands: "<task> ['<input>']", count: [1, 2] } as const

const JSON_ITEMS: Option = {
  type: 'boolean',
  about: 'Writes the items as NDJSON: one JSON object a line.',
}

const FILES: Option = {
  type: 'string',
  value: '<folder>',
  about: 'Saves the files of the run in this folder.',
}

const demo: Command = {
  name: 'demo',
  about: 'Runs the server on mock sites, to see every task work without internet.',
  operands: '',
  count: [0, 0],
  options: {},
  details:
    'Its data is in a temporary folder and is deleted at the end. It prints a key, a call for each task, and a user who can\nsign in to the mock sites that need it. It reads PORT, HOST, PLUGINS_DIR, CHROMIUM_PATH and LOG_LEVEL, and no other\nsettings. Plugins in PLUGINS_DIR answer from their cassettes too.',
  run: async (call) => (await import('../../tools/demo/demo.ts')).runDemo(call),
}

const tryTask: Command = {
  name: 'try',
  about: 'Runs one task without a server and shows its items and requests.',
  ...TASK,
  options: { json: JSON_ITEMS, files: FILES },
  details:
    "The input is JSON, as in the body of a call; without it, the task's example is used. Items go to stdout. The requests,\nthe outcome and the other fields of the result go to stderr. Nothing is stored and nothing is charged. Ctrl-C ends the\nrun and shows what it has. The exit code is 0 when the run succeeded.",
  run: async (call) => (await import('../../tools/dry-run/try.ts')).runTry(call),
}

const record: Command = {
  name: 'record',
  about: 'Runs one task as "try" does and saves all answers as a cassette for tests.',
  ...TASK,
  options: {
    to: {
      type: 'string',
      value: '<file>',
      about: "The file to write; by default fixtures/<task>.json in the source's folder.",
    },
    force: { type: 'boolean', about: 'Overwrites an existing file.' },
    json: JSON_ITEMS,
    files: FILES,
  },
  details:
    'Cookies, tokens, keys and e-mail addresses are replaced by REDACTED, which matches any value when the cassette is\nreplayed, and are listed. Read the file before you share it: it may hold other private data. A failed run is saved too.',
  run: async (call) => (await import('../../tools/recording/record.ts')).runRecord(call),
}

const newSource: Command = {
  name: 'new-source',
  about: 'Writes a source that runs, with its test, as the start of a plugin.',
  operands: '<name>',
  count: [1, 1],
  options: {
    to: {
      type: 'string',
      value: '<folder>',
      about: "Where to create its folder; by default PLUGINS_DIR, or else the project's plugins/.",
    },
  },
  details: 'docs/plugins.md continues from there.',
  run: async (call) => (await import('../../tools/new-source/new-source.ts')).runNewSource(call),
}

export const copyLog: Command = {
  name: 'copy-log',
  about: 'Copies log, artifacts and saved logins in DATA_DIR to EVENTSTORE_URL and S3_URL.',
  operands: '',
  count: [0, 0],
  options: {},
  details:
    'Events keep their ids and their order. Positions become those of the new log, which refuses the old ones. It can be\ninterrupted and started again, also beside a running server, and continues where it stopped. At its end it has compared\nall events of both logs. Stop the server before the last run, and start it with EVENTSTORE_URL afterwards.',
  run: async (call) => (await import('../../tools/copy-log/copy-log.ts')).runCopyLog(call),
}

/** The tools for authors and the demo, in the order of the help. */
export const AUTHOR_TOOLS: readonly Command[] = [demo, tryTask, record, newSource]
