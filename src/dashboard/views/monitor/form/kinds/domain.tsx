/** The form of a monitor of a domain's registration. */
import { hostField, type KindForm } from "../KindForm.tsx"
import { NumberSetting } from "../SettingFields.tsx"

export const domain: KindForm = {
  name: "Domain expiry",
  about: "Warns before the registration of a domain expires.",
  main: (monitor) => (
    <div class="columns">
      {hostField(monitor, "example.com", "Domain")}
      <NumberSetting name="expiryDays" label="Degraded before it expires" unit="days" value={monitor?.expiryDays ?? 30} />
    </div>
  ),
  usualSec: 21_600
}
