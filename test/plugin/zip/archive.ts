/**
 * Archives in files, and other programs that read them.
 */
import { spawnSync } from 'node:child_process'
import { closeSync, ftruncateSync, openSync, writeSync } from 'node:fs'
import type { ArtifactWriter } from '../../../src/plugin.ts'

/** An artifact in a file. Chunks of zeros become holes, so a file of 5 GiB takes no disk space. */
export function fileWriter(path: string): ArtifactWriter {
  const file = openSync(path, 'w')
  let length = 0
  const writeAt = (chunk: Uint8Array, at: number) => {
    for (let offset = 0; offset < chunk.length; )
      offset += writeSync(file, chunk, offset, chunk.length - offset, at + offset)
  }
  return {
    async write(chunk) {
      if (isZero(chunk)) ftruncateSync(file, length + chunk.length)
      else writeAt(chunk, length)
      length += chunk.length
    },
    async patch(at, chunk) {
      writeAt(chunk, at)
    },
    async truncate(bytes) {
      ftruncateSync(file, bytes)
      length = bytes
    },
    async close() {
      closeSync(file)
    },
  }
}

const ZEROS = Buffer.alloc(1 << 20)
const isZero = (chunk: Uint8Array): boolean =>
  chunk.length > 1000 && chunk.length <= ZEROS.length && ZEROS.subarray(0, chunk.length).equals(chunk)

/** The output and exit code of a program; null if it is not installed. */
export function run(
  command: string,
  ...args: string[]
): { readonly code: number; readonly out: string } | null {
  const { status, stdout, stderr, error } = spawnSync(command, args, { encoding: 'utf8', maxBuffer: 1 << 28 })
  if (error && 'code' in error && error.code === 'ENOENT') return null
  return { code: status ?? -1, out: `${stdout}${stderr}` }
}

export const hasUnzip = run('unzip', '-v') !== null
export const hasPython = run('python3', '--version')?.code === 0

/** Whether `unzip -t` accepts all files, in a locale with and in one without the letters of their names. */
export const unzipTests = (path: string): boolean =>
  ['C', 'C.UTF-8'].every((locale) => run('env', `LC_ALL=${locale}`, 'unzip', '-tqq', path)?.code === 0)

/** Python's zipfile listing of each file: name, size, packed size, method, time, and permissions in octal. */
export function pythonLists(path: string): unknown[][] {
  const program =
    'import json,sys,zipfile\nz=zipfile.ZipFile(sys.argv[1])\n' +
    'print(json.dumps([[i.filename,i.file_size,i.compress_size,i.compress_type,list(i.date_time),oct(i.external_attr>>16)] for i in z.infolist()]))'
  const result = run('python3', '-c', program, path)
  if (result?.code !== 0) throw new Error(result?.out)
  return JSON.parse(result.out)
}

/** Whether Python's zipfile reads all files and their checksums match. */
export function pythonTests(path: string): boolean {
  const program = 'import sys,zipfile\nsys.exit(0 if zipfile.ZipFile(sys.argv[1]).testzip() is None else 1)'
  return run('python3', '-c', program, path)?.code === 0
}
