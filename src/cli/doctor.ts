/**
 * `gleaner doctor`: says what is missing, or would go wrong.
 *
 * @module
 */
import { columns } from './columns.ts'
import { type Command, FAILED, OK } from './command.ts'
import { clockAndLog, dataFolder, isolation, port, runtime, settings } from './doctor-checks.ts'
import { backEnds, browser, catalogue } from './doctor-parts.ts'
import { vault, vaultKey } from './doctor-vault.ts'

/** What one check found: `warn` is what limits, `fail` what must be mended. */
export type Finding = {
  readonly level: 'ok' | 'warn' | 'fail'
  readonly what: string
  readonly words: string
}

const COLOURS = { ok: 32, warn: 33, fail: 31 } as const

export const doctor: Command = {
  name: 'doctor',
  about: 'Checks what the server needs and says what is missing.',
  operands: '',
  count: [0, 0],
  options: { json: { type: 'boolean', about: 'Writes JSON.' } },
  details: 'The exit code is 1 when something must be mended.',
  async run({ io, flag }) {
    const [checked, config] = settings(io.env)
    const findings = [runtime(), checked]
    if (config) {
      findings.push(
        dataFolder(config),
        isolation(),
        ...(await clockAndLog(config, io.now())),
        await port(config),
        await browser(config),
      )
      findings.push(...(await backEnds(config)), vaultKey(config), await vault(config))
      findings.push(...(await catalogue(config)))
    }
    if (flag('json')) io.out(`${JSON.stringify({ findings }, null, 2)}\n`)
    else {
      const lines = columns(findings.map(({ level, what, words }) => [level.padEnd(4), what, words]))
      io.out(io.isTerminal ? lines.replace(/^(ok|warn|fail)/gm, coloured) : lines)
    }
    return findings.some(({ level }) => level === 'fail') ? FAILED : OK
  },
}

const coloured = (level: string): string => `\x1b[${COLOURS[level as Finding['level']]}m${level}\x1b[0m`
