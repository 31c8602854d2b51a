/**
 * Installs Chromium, as a process of its own; see `chromiumBeside`.
 *
 * @module
 */
import { installChromium } from './components.mjs'

process.exitCode = installChromium() ? 0 : 1
