/** Takes shifts of another calendar into a schedule, and says which events it left out. */
import { largestCalendar, type Schedule } from "../../../../schema/oncall/Schedule.ts"
import { counted } from "../../../domain/tools/text/Counted.ts"
import { Area, CallForm, Submit, useAnswerOf } from "../../design/Form.tsx"
import { useMay } from "../../design/May.tsx"
import { Banner, Island, Panel } from "../../design/Parts.tsx"

const form = "take-calendar"

const Taken = () => {
  const taken = useAnswerOf(form, "import_oncall_calendar")
  if (taken === null) return null
  const { added, skipped } = taken
  return (
    <Banner
      tone={skipped.length === 0 ? "good" : "warn"}
      role="status"
      title={`${counted(added.length, "override")} added`}
      note={skipped.length === 0 ? null : `${counted(skipped.length, "event")} left out:`}
      more={skipped.length === 0
        ? null
        : (
          <ul>
            {skipped.map(({ reason, summary }) => (
              <li>
                <bdi>{summary === "" ? "An event without a text" : summary}</bdi>: {reason}
              </li>
            ))}
          </ul>
        )}
    />
  )
}

export const CalendarImport = ({ schedule: { id } }: { readonly schedule: Schedule }) =>
  useMay("import_oncall_calendar")
    ? (
      <Panel id="calendar-import" title="Take shifts from a calendar">
        <CallForm call="import_oncall_calendar" id={form} fixed={{ id }} copy={false}>
          <Taken />
          <p class="note">
            Each event of the next 90 days that names one member becomes an override, by an attendee's address or by the name in
            its title. Events that were taken before are not added again.
          </p>
          <Island
            name="upload"
            keep
            props={{ area: `${form}-calendar`, label: "File", largest: largestCalendar, tooLarge: "The file is too large." }}
          />
          <Area name="calendar" as="raw" label="Calendar" required rows={4} code placeholder="BEGIN:VCALENDAR" />
          <Submit look="plain">Take shifts</Submit>
        </CallForm>
      </Panel>
    )
    : null
