/** The next times at which a heartbeat with a schedule would expect pings. */
import { Clock, Effect, Either } from "effect"
import { instant } from "../../../schema/Fields.ts"
import type { SchedulePreview } from "../../../schema/monitor/SchedulePreview.ts"
import { scheduleOf } from "../../domain/monitor/job/ExpectedPing.ts"
import { heartbeat } from "../../domain/monitor/kinds/heartbeat.ts"
import type { Written } from "../../domain/monitor/schedule/Schedule.ts"
import { previewOf } from "../../domain/monitor/schedule/SchedulePreview.ts"
import { clockRule, scheduleWords } from "../../domain/monitor/schedule/ScheduleWords.ts"
import { validationFailure } from "../../domain/Refusal.ts"

/** Fails with `validation_failed` for what a monitor would refuse, too. */
export const previewSchedule = Effect.fn("previewSchedule")(function*(given: Written & { readonly limit: number }) {
  const settled = heartbeat.settle({ schedule: given.schedule, timezone: given.timezone }, null)
  if (Either.isLeft(settled)) return yield* validationFailure([settled.left])
  const written = scheduleOf(settled.right) ?? given
  const now = yield* Clock.currentTimeMillis
  const preview: SchedulePreview = {
    words: scheduleWords(written),
    rule: clockRule,
    graceSec: settled.right.graceSec,
    times: previewOf(written, now, given.limit).map(({ at, ...rest }) => ({ at: instant(at), ...rest }))
  }
  return preview
})
