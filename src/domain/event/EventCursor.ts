/** The cursor of an event log in which nothing has happened yet. */
import { EventId } from "../../../schema/Ids.ts"

/** Lower than the id of every event, so that all events follow it. */
export const beforeAll = EventId.make(`evt_${"0".repeat(26)}`)
