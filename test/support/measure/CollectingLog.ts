/** A logger that keeps the messages of all lines in place of printing them. */
import { type Layer, Logger } from "effect"

export const collectingLog = (lines: Array<string>): Layer.Layer<never> =>
  Logger.replace(Logger.defaultLogger, Logger.make(({ message }) => void lines.push(String(message))))
