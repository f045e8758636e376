/** Another writer committed the row first: the caller's transaction rolls back, and its work starts again from the row. */
import { Data } from "effect"

export class LostRace extends Data.TaggedError("LostRace") {}
