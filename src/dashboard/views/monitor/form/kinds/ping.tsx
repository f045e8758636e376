/** The form of a monitor of ICMP pings. */
import { hostField, type KindForm, slowField } from "../KindForm.tsx"

export const ping: KindForm = {
  name: "Ping",
  about: "Sends ICMP echo requests to a host.",
  main: (monitor) => hostField(monitor, "gateway.example.com"),
  more: slowField
}
