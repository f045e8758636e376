/** The style sheet of the dashboard and of the pages before it: tokens, the frames, and the parts that both are made of. */
import { type Palette, presetStyles } from "../../../domain/page/Presets.ts"
import { markdownStyle } from "../../../pages/style/MarkdownStyle.ts"
import { outsideStyle } from "../../outside/OutsideStyle.ts"
import { accountStyle } from "../../views/account/AccountStyle.ts"
import { billingStyle } from "../../views/billing/BillingStyle.ts"
import { channelStyle } from "../../views/channel/ChannelStyle.ts"
import { escalationStyle } from "../../views/escalation/EscalationStyle.ts"
import { imageStyle } from "../../views/image/ImageStyle.ts"
import { incidentStyle } from "../../views/incident/IncidentStyle.ts"
import { monitorListStyle } from "../../views/monitor/MonitorListStyle.ts"
import { monitorStyle } from "../../views/monitor/MonitorStyle.ts"
import { onCallStyle } from "../../views/oncall/OnCallStyle.ts"
import { pageStyle } from "../../views/page/PageStyle.ts"
import { controlStyle } from "./ControlStyle.ts"
import { frameStyle } from "./FrameStyle.ts"
import { partStyle } from "./PartStyle.ts"
import { printStyle } from "./PrintStyle.ts"
import { tableStyle } from "./TableStyle.ts"

const { dark, light, mono, sans } = presetStyles.daylight

const variables = (palette: Palette) => Object.entries(palette).map(([name, value]) => `--${name}:${value};`).join("")

/** Variables beyond the palette: a second surface, text on the accent, and shadows. */
const lightMore = "--sunk:#eef1f5;--on-accent:#fff;--shadow:0 1px 2px rgb(16 24 40/.06),0 6px 20px rgb(16 24 40/.06);"
const darkMore = "--sunk:#0a0d12;--on-accent:#0b1220;--shadow:0 1px 2px rgb(0 0 0/.4),0 8px 24px rgb(0 0 0/.35);"

/** Text in a status's colour needs more contrast than its mark. */
const lightText = "--good-text:#0b6b37;--warn-text:#8a5200;--bad-text:#b3241a;--calm-text:#1c54c4;--code-name:#7a2fb5;"
const darkText = "--good-text:#5bdc98;--warn-text:#f7c55b;--bad-text:#ff8a83;--calm-text:#8fb6ff;--code-name:#d9a5ff;"

const inLight = `color-scheme:light;${variables(light)}${lightMore}${lightText}`
const inDark = `color-scheme:dark;${variables(dark)}${darkMore}${darkText}`

export const frameColors = { light: light.bg, dark: dark.bg } as const

const tokens = [
  `:root{${inLight}--sans:${sans};--mono:${mono};--radius:10px;--small:.8125rem;--note:.875rem;--side:14.75rem}`,
  `@media(prefers-color-scheme:dark){:root:not([data-theme=light]){${inDark}}}`,
  `:root[data-theme=dark]{${inDark}}`
].join("")

const viewStyle = [
  accountStyle,
  billingStyle,
  imageStyle,
  incidentStyle,
  monitorStyle,
  monitorListStyle,
  pageStyle,
  channelStyle,
  escalationStyle,
  onCallStyle
].join("")

/** Forced colours take backgrounds away: what is chosen gets a frame, and the colours of states stay. */
const forcedColors = `@media(forced-colors:active){
:is(.tabs,.segments,.themes,.choose,.kinds,.views,.side nav,.top nav,[data-widths]) :is([aria-current],[aria-pressed=true]){outline:2px solid Highlight;outline-offset:-2px}
.tabs a{border-color:Canvas}
.dot,.live i,.badge::before{forced-color-adjust:none}
}`

export const designStyle = [
  tokens,
  frameStyle,
  controlStyle,
  partStyle,
  markdownStyle,
  tableStyle,
  viewStyle,
  outsideStyle,
  forcedColors,
  printStyle(inLight)
].join("").replaceAll("\n", "")
