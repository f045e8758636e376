/** The failure of a program that was given something wrong. */
import { Data } from "effect"

/** A setting is missing or invalid. `message` names it and gives the reason, in one line. */
export class BadSetting extends Data.TaggedError("BadSetting")<{ readonly message: string }> {}
