/**
 * The project's source files for the tests of this folder.
 *
 * @module
 */
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { fileURLToPath } from 'node:url'

export const ROOT = dirname(dirname(dirname(fileURLToPath(import.meta.url))))

/** One file: its path from the root with slashes, its text, and the text without comments and plain strings. */
export type SourceFile = { readonly path: string; readonly text: string; readonly code: string }

/** `lazy`: a dynamic import. */
export type Import = {
  readonly of: string
  readonly specifier: string
  readonly typeOnly: boolean
  readonly lazy: boolean
}

/** All TypeScript files below some folders, except tests. */
export function sourcesIn(...folders: readonly string[]): SourceFile[] {
  return folders.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .map((name) => posix.join(folder, name.replaceAll('\\', '/')))
      .filter(
        (path) => path.endsWith('.ts') && !path.endsWith('.test.ts') && !path.includes('/node_modules/'),
      )
      .sort()
      .map((path) => {
        const text = readFileSync(join(ROOT, path), 'utf8')
        return { path, text, code: codeOf(text) }
      }),
  )
}

/** Text without comments and string contents. Template literals stay, because they contain code too. */
export function codeOf(text: string): string {
  return text.replace(
    /\/\*[\s\S]*?\*\/|\/\/[^\n]*|'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`|\/(?![/*])(?:[^/\\\n[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[dgimsuvy]*(?=[\s.,;)\]])/g,
    (match) =>
      match.startsWith('`') ? match : match.startsWith('/*') || match.startsWith('//') ? ' ' : "''",
  )
}

/** Each import, export-from and dynamic import of a file. */
export function importsOf({ path, text }: SourceFile): Import[] {
  const code = text.replace(/\/\*[\s\S]*?\*\//g, ' ').replace(/^\s*\/\/[^\n]*/gm, ' ')
  const imports: Import[] = []
  const statements = /^(?:import|export)\s+(type\s)?(?:[^'";]*?\sfrom\s+)?'([^']+)'/gm
  for (const [, type, specifier = ''] of code.matchAll(statements)) {
    imports.push({ of: path, specifier, typeOnly: type !== undefined, lazy: false })
  }
  const inline = /\bimport\(\s*(['"`])([^'"`]*)\1/g
  for (const [, , specifier = ''] of code.matchAll(inline))
    imports.push({ of: path, specifier, typeOnly: false, lazy: true })
  return imports
}

/** The file that a relative import names, as a path from the root. */
export const targetOf = ({ of, specifier }: Import): string => posix.join(posix.dirname(of), specifier)
