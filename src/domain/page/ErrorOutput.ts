/** Finds what programs print when they fail: status lines, messages of the network and of databases, stack traces. */

/** The reason phrases of RFC 9110 and of proxies, as servers write them behind the code. */
const reasons = [
  "Bad Request",
  "Payment Required",
  "(?:Page )?Not Found",
  "Method Not Allowed",
  "Not Acceptable",
  "Proxy Authentication Required",
  "Request Time-?out",
  "(?:Content|Payload|Request Entity) Too Large",
  "(?:URI|Request-URI) Too Long",
  "Unsupported Media Type",
  "Misdirected Request",
  "Unprocessable (?:Content|Entity)",
  "Too (?:Early|Many Requests)",
  "Upgrade Required",
  "Precondition (?:Failed|Required)",
  "Request Header Fields Too Large",
  "Client Closed Request",
  "Internal Server Error",
  "Not Implemented",
  "Bad Gateway",
  "Service (?:Temporarily )?Unavailable",
  "Gateway Time-?out",
  "HTTP Version Not Supported",
  "Insufficient Storage",
  "Network Authentication Required",
  "Web Server Is Down",
  "Connection Timed Out",
  "Origin Is Unreachable",
  "A Timeout Occurred",
  "(?:SSL|TLS) Handshake Failed",
  "Invalid (?:SSL|TLS) Certificate"
].join("|")

const gap = "[\\s:()–—-]{1,3}"

/**
 * Each takes time that grows with the length of the text. People also write about refused connections and timeouts, so a phrase
 * that they could use counts only in the form in which programs print it.
 */
const patterns: ReadonlyArray<RegExp> = [
  // Status lines
  new RegExp(`\\b[45]\\d\\d${gap}(?:${reasons})`, "i"),
  /\b(?:401[\s:(-]{1,3}Unauthorized|403[\s:(-]{1,3}Forbidden|409[\s:(-]{1,3}Conflict|410[\s:(-]{1,3}Gone)\b/,
  /\b(?:Internal Server Error|Bad Gateway|Gateway Time-?[Oo]ut|Service Temporarily Unavailable)\b/,
  /\bHTTP(?:\/\d(?:\.\d)?)?[ :][45]\d\d\b/i,
  /\b(?:status|exit|error)(?: (?:code|status))?[ :=]{1,3}\d{1,5}\b/i,
  // Network
  /\bE(?:ACCES|ADDR|AI_|CONN|EXIST|HOST|MFILE|NET|NO(?:ENT|MEM|SPC|TFOUND)|PERM|PIPE|PROTO|TIMEDOUT)[A-Z_]*\b/,
  /\bconnection (?:refused|reset by peer|refused by)\b/i,
  /(?:\bC|:\s?c)onnection (?:timed out|reset|aborted|closed by)\b/,
  /(?:\b[BHN]|:\s?[bhn])(?:roken pipe|ost is (?:down|unreachable)|etwork is unreachable)\b/,
  /\b(?:no route to host|socket hang up|i\/o timeout)\b/i,
  /\b(?:Operation|Request|Read|Write|Lookup)(?: has)? timed out\b|\bcontext deadline exceeded\b|\b(?:connect|read) timeout\b/,
  /\btime(?:d )?out (?:after|of) \d{1,9}\s?m(?:illi)?s|\btimeout (?:exceeded|expired)\b/i,
  /\bno healthy upstream\b|\bupstream (?:connect error|prematurely closed|timed out)\b|\bcurl: ?\(\d{1,3}\)/i,
  // DNS and TLS
  /\b(?:name or service not known|temporary failure in name resolution|no such host|could not resolve host|getaddrinfo)\b/i,
  /\b(?:NXDOMAIN|SERVFAIL)\b|\b(?:CERT|DEPTH|DNS|ERR|NET|SELF_SIGNED|SSL|TLS|UNABLE)_[A-Z_]{3,60}\b/,
  /\b(?:certificate verify failed|unable to (?:verify the first certificate|get (?:local )?issuer certificate))\b/i,
  /\b(?:self[- ]signed certificate|alert handshake failure|SSL routines)\b/i,
  /\b(?:x509|tls|ssl): /,
  // Databases
  /\b(?:column|database|function|index|relation|role|schema|table|type|view) ["'`“‘][^\n]{1,200} (?:does|already exists)/i,
  /\b(?:table or view does not exist|no such (?:table|column)|unknown column|SQL syntax|syntax error at or near)\b/i,
  /\bviolates (?:[a-z-]{1,20} ){1,2}constraint\b|\bduplicate (?:key value|entry ['"`])|\bdeadlock (?:detected|found when)\b/i,
  /\b(?:ORA|PLS|TNS|SP2|DB2|SQL)-?\d{4,5}[A-Z]?\b|\bERROR \d{4} \(|\bSQLSTATE\b|\bMsg \d{1,6}, Level \d/,
  /\bpermission denied for (?:table|relation|schema|function|database)\b|\bcanceling statement due to\b|\block wait timeout\b/i,
  /\b(?:remaining connection slots|too many clients already|could not serialize access|could not connect to server)\b/i,
  /\bSELECT\b[^\n]{1,200}\bFROM\s|\b(?:INSERT INTO|DELETE FROM)\s|\bUPDATE\s\S{1,100}\sSET\s/,
  // Programs
  /(?:Error|Exception)\s?:/,
  /\b[A-Z][A-Za-z]{0,60}[a-z](?:Error|Exception)\b/,
  /^[^\S\n]{0,8}error\s?:|\bwith (?:an |the )?error\s?:|\[error\]/im,
  /\bERROR\b[\s\]]{0,2}[:[(]/,
  /\b(?:panic|fatal|errno)\b\s?[:[=(]/i,
  /\b(?:segmentation fault|core dumped|no space left on device|killed process|cannot allocate memory)\b/i,
  /\b(?:SIG(?:KILL|SEGV|TERM|ABRT|BUS)|OOMKilled|CrashLoopBackOff|ImagePullBackOff)\b/,
  // Stack traces
  /\bTraceback\b|\bFile ["“][^"”\n]{1,200}["”], line \d|\bline \d{1,7}, in \S/,
  /\bat [^\s(]{1,200}\s?\((?:[^()\n]{1,200}\.[a-z]{1,5}:\d|Native Method|Unknown Source)/,
  /\bgoroutine \d{1,9} \[|\bpanicked at\b|\w\.(?:cs|ex|go|java|js|jsx|kt|php|py|rb|rs|ts|tsx):\d/,
  /\b(?:undefined method|unhandled (?:promise )?rejection|cannot read propert(?:y|ies) of)\b/i,
  /```/,
  /:\d{1,6}:\d{1,6}\b/
]

/** The first place of a text that looks like the output of a program that failed, or null. */
export const errorOutputIn = (text: string): string | null => {
  for (const pattern of patterns) {
    const match = pattern.exec(text)
    if (match !== null) return match[0]
  }
  return null
}
