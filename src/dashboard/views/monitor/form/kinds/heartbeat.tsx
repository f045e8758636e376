/** The form of a monitor of a job that reports by itself. */
import type { KindForm } from "../KindForm.tsx"
import { NumberSetting } from "../SettingFields.tsx"

export const heartbeat: KindForm = {
  name: "Heartbeat",
  about: "Waits for pings of a job of yours, such as a cron job or a backup, and alerts when one is missing.",
  main: (monitor) => (
    <div class="columns">
      <NumberSetting
        name="periodSec"
        label="Expect a ping every"
        required
        unit="seconds"
        value={monitor?.periodSec ?? 3600}
        hint="A daily job: 86,400."
      />
      <NumberSetting
        name="graceSec"
        label="Grace time"
        unit="seconds"
        value={monitor?.graceSec}
        hint="How late a ping can be. Empty: a tenth of the period."
      />
    </div>
  ),
  probed: false
}
