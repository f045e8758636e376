/** The form of a monitor of ICMP pings. */
import { hostField, slowField } from "../CommonFields.tsx"
import { eachMinute, type KindForm } from "../KindForm.ts"

export const ping: KindForm = {
  about: "Sends ICMP echo requests to a host.",
  main: (monitor) => hostField(monitor, "gateway.example.com"),
  more: slowField,
  assertions: [],
  ...eachMinute
}
