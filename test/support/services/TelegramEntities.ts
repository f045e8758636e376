/** Reads MarkdownV2 as the Bot API does (https://core.telegram.org/bots/api#markdownv2-style), and says what it would refuse. */

const reserved = new Set("_*[]()~`>#+-=|{}.!")

/** Null for a text that Telegram takes. */
export const telegramProblem = (text: string): string | null => {
  const open: Array<string> = []
  const startsLine = (at: number) => at === 0 || text[at - 1] === "\n"
  for (let at = 0; at < text.length; at++) {
    const sign = text.charAt(at)
    if (sign === "\\") at++
    else if (text.startsWith("```", at) || sign === "`") {
      const fence = text.startsWith("```", at) ? "```" : "`"
      if (open.some((one) => one !== ">")) return `code inside ${open.join(" ")}`
      let end = at + fence.length
      while (end < text.length && !text.startsWith(fence, end)) end += text[end] === "\\" ? 2 : 1
      if (end >= text.length) return "code that does not end"
      at = end + fence.length - 1
    } else if (sign === ">" && startsLine(at)) continue
    else if (text.startsWith("__", at)) return "underline"
    else if (sign === "*" || sign === "_" || sign === "~") {
      if (open.at(-1) === sign) open.pop()
      else if (open.includes(sign)) return `${sign} crosses another entity`
      else open.push(sign)
    } else if (sign === "[") {
      if (open.includes("[")) return "a link in a link"
      open.push("[")
    } else if (sign === "]" && open.at(-1) === "[") {
      const link = /^\]\((?:[^\\)\n]|\\.)+\)/.exec(text.slice(at))?.[0]
      if (link === undefined) return "a link without an address"
      open.pop()
      at += link.length - 1
    } else if (reserved.has(sign)) return `${sign} at ${at} is reserved`
  }
  return open.length === 0 ? null : `${open.join(" ")} does not end`
}
