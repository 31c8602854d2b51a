/**
 * Compares the service with a bare Elysia without any backend, in interleaved rounds, and prints a table: the cost of
 * durability, isolation, accounts and recovery on top of HTTP. Or compares the service on Bun with itself on Deno, or
 * with itself on the stores of several nodes.
 * Figures are comparable only within one run. Each target is under load for a while before all phases but the idle one,
 * because in its first seconds a runtime mostly compiles.
 *
 *   npm run bench -- [--rounds 5] [--seconds 5] [--phases kickoff,poll] [--warm 10] [--beside bare | deno | scaled]
 *
 * @module
 */
import { parseArgs } from 'node:util'
import { PHASES } from './phases.ts'
import { type Figures, print, rowsOf } from './table.ts'
import { startBare, startGleaner, startGleanerOnDeno, startGleanerScaled } from './targets.ts'

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '5' },
    connections: { type: 'string', default: '64' },
    rate: { type: 'string', default: '500' },
    warm: { type: 'string', default: '10' },
    phases: { type: 'string', default: Object.keys(PHASES).join(',') },
    beside: { type: 'string', default: 'bare' },
  },
})
const options = {
  seconds: Number(values.seconds),
  connections: Number(values.connections),
  rate: Number(values.rate),
}

const BESIDE = { bare: startBare, deno: startGleanerOnDeno, scaled: startGleanerScaled } as const
if (!Object.hasOwn(BESIDE, values.beside)) throw new Error(`--beside is ${Object.keys(BESIDE).join(' or ')}`)
const targets = [await startGleaner(), await BESIDE[values.beside as keyof typeof BESIDE]()]
try {
  let isWarm = Number(values.warm) === 0
  const rows: string[][] = [['phase', 'figure', ...targets.map((t) => t.name), 'ratio (median of rounds)']]
  for (const name of values.phases.split(',')) {
    const phase = PHASES[name]
    if (!phase) throw new Error(`no phase "${name}": there are ${Object.keys(PHASES).join(', ')}`)
    if (!isWarm && name !== 'idle') {
      for (const target of targets)
        await PHASES.kickoff?.(target, { ...options, seconds: Number(values.warm) })
      isWarm = true
    }
    const rounds: Figures[][] = targets.map(() => [])
    for (let round = 0; round < Number(values.rounds); round++) {
      const order = [...targets.keys()]
      if (round % 2 === 1) order.reverse()
      for (const at of order) {
        const target = targets[at]
        if (target) rounds[at]?.push(await phase(target, options))
      }
    }
    rows.push(...rowsOf(rounds).map((row) => [name, ...row]))
  }
  print(rows)
} finally {
  for (const target of targets) await target.stop()
}
