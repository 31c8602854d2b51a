/**
 * Settings of pools of processes, for tests.
 *
 * @module
 */
import { join } from 'node:path'
import type { PoolSettings } from '../../src/worker/process/pool.ts'

/** Minimal settings of a pool. @param folder where its processes write files */
export const poolSettings = (folder: string) =>
  ({
    runsPerProcess: 32,
    browserPages: 4,
    dataDir: folder,
    // The folder of plugins that its processes may read.
    pluginsDir: join(import.meta.dirname, '..'),
    contact: 'http://gleaner.example',
    sourceOrigins: new Map<string, string>(),
    sourceWays: new Map(),
    chromiumPath: null,
  }) satisfies PoolSettings
