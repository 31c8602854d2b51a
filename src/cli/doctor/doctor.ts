/**
 * `gleaner doctor`: reports missing requirements and problems of the installation.
 *
 * @module
 */
import type { Command } from 'commander'
import { loadCatalogue, PLUGINS } from '../../catalogue/catalogue.ts'
import { columns } from '../columns.ts'
import { CommandFailed } from '../failure.ts'
import { type Io, outJson } from '../io.ts'
import { cassettes } from './cassettes.ts'
import { contact } from './contact.ts'
import { filesInFull } from './files.ts'
import type { Finding } from './finding.ts'
import { clockAndLog, dataFolder, isolation, port, runsAtOnce, runtime, settings } from './machine.ts'
import { backEnds, browser, canary, catalogue } from './parts.ts'
import { vault, vaultKey } from './vault.ts'
import { waysOut } from './ways.ts'

const COLOURS = { ok: 32, warn: 33, fail: 31 } as const

export function addDoctor(program: Command, io: Io): void {
  program
    .command('doctor')
    .description(
      'Checks the requirements of the server and reports problems.\n\nThe exit code is 1 when a problem must be fixed.',
    )
    .option('--json', 'Writes JSON.')
    .option('--deep', 'Reads all databases of DATA_DIR and finds damaged pages. It can take minutes.')
    .action(async ({ json, deep = false }: { json?: true; deep?: boolean }) => {
      const findings = await examine(io, deep)
      if (json) outJson(io, { findings })
      else {
        const lines = columns(findings.map(({ level, what, words }) => [level.padEnd(4), what, words]))
        io.out(io.isTerminal ? lines.replace(/^(ok|warn|fail)/gm, coloured) : lines)
      }
      if (findings.some(({ level }) => level === 'fail')) throw new CommandFailed()
    })
}

async function examine({ env, now }: Io, isDeep: boolean): Promise<Finding[]> {
  const [checked, config] = settings(env)
  if (!config) return [runtime(), checked]
  const loaded = await loadCatalogue({ folders: [PLUGINS], config })
  const { tasks, sources } = loaded
  return [
    runtime(),
    checked,
    dataFolder(config),
    ...(config.roles.has('worker') ? [runsAtOnce(config)] : []),
    isolation(),
    ...(await clockAndLog(config, now())),
    await port(config),
    await browser(config),
    ...(await backEnds(config)),
    vaultKey(config),
    await vault(config),
    ...catalogue(loaded),
    waysOut(config, sources),
    contact(config, sources),
    ...cassettes(tasks, now()),
    canary(config, tasks),
    ...(isDeep ? filesInFull(config) : []),
  ]
}

const coloured = (level: string): string => `\x1b[${COLOURS[level as Finding['level']]}m${level}\x1b[0m`
