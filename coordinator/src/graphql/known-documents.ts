// Printed from the *.graphql files of the client and the page: npm run generate.

/** Operations that are asked for by the SHA-256 of their text. */
export const knownDocuments: Readonly<Record<string, string>> = {
  '0214e13155ee3f334113a4a01bb103bc6498e24cd5ccc727fc67ca80759887bd':
    "query SetUpAudit($filter:AuditFilter$after:String){audit(first:50 after:$after filter:$filter){edges{node{id at login token action subject names total changes}}pageInfo{hasNextPage endCursor}}}",
  '065bcf3e486232c9b05569dd6b6909580b2e37f67b096cde532796b565effae0':
    "mutation RerunRun($input:RerunRunInput!){rerunRun(input:$input){...Started ...Refused}}fragment FileProblem on Problem{severity code file line column path message hint}fragment Refused on UserError{__typename code message ...on InvalidDefinitions{problems{...FileProblem}}...on InvalidInput{arguments:problems{path message}}...on IdempotencyConflict{runId}...on MissingBlobs{digests}...on RateLimited{retryAfterMs}}fragment Started on StartRunSuccess{__typename created dispatch reporting run{id}warnings{...FileProblem}}",
  '0c1669b7963ac8f78849caa9855b4fbda9f46ae2a58fa6b70f638dda7bd6abdf':
    "mutation RevokeApiToken($id:UUID!){revokeApiToken(id:$id){...Refused ...on RevokeApiTokenSuccess{id}}}fragment FileProblem on Problem{severity code file line column path message hint}fragment Refused on UserError{__typename code message ...on InvalidDefinitions{problems{...FileProblem}}...on InvalidInput{arguments:problems{path message}}...on IdempotencyConflict{runId}...on MissingBlobs{digests}...on RateLimited{retryAfterMs}}",
  '0c3c8451cdda7e663e5109d84067426991b522e9a9963f5b445bb80ab91b593a':
    "mutation UpdateSchedule($input:UpdateSuiteInput!){updateSuite(input:$input){...Refused ...on UpdateSuiteSuccess{suite{id name path scheduleType scheduleTime scheduleDayOfWeek scheduleCron scheduleTimeZone scheduleJitterMinutes}}}}fragment FileProblem on Problem{severity code file line column path message hint}fragment Refused on UserError{__typename code message ...on InvalidDefinitions{problems{...FileProblem}}...on InvalidInput{arguments:problems{path message}}...on IdempotencyConflict{runId}...on MissingBlobs{digests}...on RateLimited{retryAfterMs}}",
  '14037693cfc452aa0f7514599bbf5456a939045aed4828bd7ed55088569eebd6':
    "mutation CreateService($input:CreatePersonInput!){createService(input:$input){...Refused ...MadePerson}}fragment FileProblem on Problem{severity code file line column path message hint}fragment MadePerson on CreatePersonSuccess{person{id login role}}fragment Refused on UserError{__typename code message ...on InvalidDefinitions{problems{...FileProblem}}...on InvalidInput{arguments:problems{path message}}...on IdempotencyConflict{runId}...on MissingBlobs{digests}...on RateLimited{retryAfterMs}}",
  '172501364d48d9e9386630d6f10c2fbcd934327baea0048874efa6f69cf0891a':
    "query DownloadRun($id:UUID!$format:DownloadFormat!){run(id:$id){download(format:$format){url expiresAt}}}",
  '17876eeeb120aa84cdcd6c215e68c23c41a3e04f616588bf6c1d202226822900':
    "mutation DeleteChannel($id:UUID!){deleteAlertChannel(id:$id){...Refused ...on DeleteAlertChannelSuccess{id}}}fragment FileProblem on Problem{severity code file line column path message hint}fragment Refused on UserError{__typename code message ...on InvalidDefinitions{problems{...FileProblem}}...on InvalidInput{arguments:problems{path message}}...on IdempotencyConflict{runId}...on MissingBlobs{digests}...on RateLimited{retryAfterMs}}",
  '17d3eef364445bbcce0844533fbb0b24c854cff8909acf5412dea5cfd23799de':
    "query ListPeople($first:Int$after:String){people(first:$first after:$after){edges{node{id login displayName kind role disabledAt}}pageInfo{hasNextPage endCursor}}}",
  '2071e032714cffcf6ede0cc251a5cfa531886d99f785f4e399662c9fade048da':
    "query ListSettings{settings{key value source description warning}}",
  '2336d2456f49c8f33435d7c3a19909ae9d76556fac88e4a32da57aa0587c07ac':
    "query SetUpRepositories($after:String){repositories(first:50 after:$after){edges{node{id host fullName defaultBranch baselineBranches installationId claimPins{claim value}}}pageInfo{hasNextPage endCursor}}}",
  '24cf1726a3bc582e3018368dbb045eaa7fb30f1410ee5ecb1582bddb6c771dd6':
    "query RunDownload($id:UUID!$format:DownloadFormat!){run(id:$id){download(format:$format){url}}}",
  '2566181e0db2b67e9ffb8fc2a3fc77823ca57309dc70ba35eff2e4ff077317e1':
    "mutation UpdateSetting($input:UpdateSettingInput!){updateSetting(input:$input){...Refused ...on UpdateSettingSuccess{setting{key value source}}}}fragment FileProblem on Problem{severity code file line column path message hint}fragment Refused on UserError{__typename code message ...on InvalidDefinitions{problems{...FileProblem}}...on InvalidInput{arguments:problems{path message}}...on IdempotencyConflict{runId}...on MissingBlobs{digests}...on RateLimited{retryAfterMs}}",
  '27a6dae7eb254865dff84b19cf73d5c2319662e28de9d4560471e11bc4915f44':
    "mutation PageCreateService($input:CreatePersonInput!){createService(input:$input){...on CreatePersonSuccess{person{login}}...on UserError{code message}}}",
  '27ce4f2492dcb6d61baeb09590aae92e1449cdfc85fe187dc28844d26fb87818':
    "query SuiteRunPage($id:UUID!){suiteRun(id:$id){...JudgedSuiteRun run{...RunSummary}baseline{id passRate completedAt run{id headSha pullRequest isBase}}}}fragment JudgedSuiteRun on SuiteRun{id suiteId suiteName suitePath agentName cellKey variant purpose status failureReason errorMessage totalCases openCases passedCases failedCases erroredCases skippedCases passRate passRateInterval{lo hi}verdictWord baselineSuiteRunId costUsd completedAt takenFrom{how runId suiteRunId pullRequest}verdict{word title paragraph lines newlyFailing flagged baselineLabel basePassRate headPassRate diffPoints ciLoPoints ciHiPoints measures{latencyMs{...SidesMeasured}tokens{...SidesMeasured}costUsd{...SidesMeasured}}unmeasured{metric measured wanted reason}judge{isMeasured isWeak labels agreement problem}}}fragment RunSummary on Run{id status event repository host ref pullRequest headSha author createdBy triggeredBy isBase title createdAt startedAt completedAt durationMs verdictWord conclusion totalSuiteRuns finishedSuiteRuns totalCases openCases head{totalCases openCases passedCases failedCases erroredCases skippedCases passRate}}fragment SidesMeasured on MeasureComparison{base{mean}head{mean}diffLo diffHi}",
  '2b669c1dddd7d8a8cba75d3b8b322a39dc0ae0ceafc78723b02b523537c6468a':
    "query RunFeedback($id:UUID!){run(id:$id){feedback{checks{name externalId onlyAfterRed conclusion title summary text annotations{...LineRemark}}wantedComment{key body resolvedBody createsComment hides}}}}fragment LineRemark on Annotation{path line level title message}",
  '2ce050f8a9615f5b57898ec75fa8420876c0a0cd56418325a85a6c813a87ddfa':
    "query SuiteRunDownload($id:UUID!$format:DownloadFormat!){suiteRun(id:$id){download(format:$format){url}}}",
  '2df192b0c547c301e9f2119b5cf6b0f25352319050ae71eab0ba26715355b679':
    "mutation StartStoredRun($input:StartStoredRunInput!){startStoredRun(input:$input){...Started ...Refused}}fragment FileProblem on Problem{severity code file line column path message hint}fragment Refused on UserError{__typename code message ...on InvalidDefinitions{problems{...FileProblem}}...on InvalidInput{arguments:problems{path message}}...on IdempotencyConflict{runId}...on MissingBlobs{digests}...on RateLimited{retryAfterMs}}fragment Started on StartRunSuccess{__typename created dispatch reporting run{id}warnings{...FileProblem}}",
  '2ea3c8c5cc38170317e3c82675ba362cc2842e7371628c4657e796f6ba50ac79':
    "query OtherSide($id:UUID!){testRun(id:$id){...WholeTestRun}}fragment WholeTestRun on TestRun{id caseName caseKey caseHash repetition status attempt retryCount errorKind errorMessage skipReason degraded truncated testInput response model promptTokens completionTokens costUsd latencyMs executionTimeMs startedAt recordedFrom toolsMatched metricsPassed metricsTotal checks{index type status passed turn error details}toolCalls{id name args argsError result error durationMs source turn}metricResults{metricName kind score threshold scale passed error reasoning modelUsed evaluationTimeMs retryCount}outcomes{passed error score injectionAttempt criteria{id requirement status reasoning}}transcript{role text toolCallId}progress{state atMs}outcome resolvedVariables{values sources}}",
  '301aef61fb12289c2f681d53e7c2c626344f5ace8e590adde3eaf7dcd9e322ce':
    "mutation CreatePerson($input:CreatePersonInput!){createPerson(input:$input){...Refused ...MadePerson}}fragment FileProblem on Problem{severity code file line column path message hint}fragment MadePerson on CreatePersonSuccess{person{id login role}}fragment Refused on UserError{__typename code message ...on InvalidDefinitions{problems{...FileProblem}}...on InvalidInput{arguments:problems{path message}}...on IdempotencyConflict{runId}...on MissingBlobs{digests}...on RateLimited{retryAfterMs}}",
  '303d07b948039c0c82f86fcaa682801cf4447fa8b1921c9743bef387669e4435':
    "subscription PageRunProgress($id:UUID!){runProgress(id:$id){...RunSummary poolsWithoutRunners}}fragment RunSummary on Run{id status event repository host ref pullRequest headSha author createdBy triggeredBy isBase title createdAt startedAt completedAt durationMs verdictWord conclusion totalSuiteRuns finishedSuiteRuns totalCases openCases head{totalCases openCases passedCases failedCases erroredCases skippedCases passRate}}",
  '368195480ae12978bdf93c7cbf83d73be78441b7d2e61b2be6bcde5a252c25a3':
    "mutation PageDeleteChannel($id:UUID!){deleteAlertChannel(id:$id){...on DeleteAlertChannelSuccess{id}...on UserError{code message}}}",
  '379148419088179a008df9801898c3654ddbd174aafc78ac4de1b862a3f3a8f0':
    "mutation CancelRun($id:UUID!){cancelRun(id:$id){...Refused ...on CancelRunSuccess{changed}}}fragment FileProblem on Problem{severity code file line column path message hint}fragment Refused on UserError{__typename code message ...on InvalidDefinitions{problems{...FileProblem}}...on InvalidInput{arguments:problems{path message}}...on IdempotencyConflict{runId}...on MissingBlobs{digests}...on RateLimited{retryAfterMs}}",
  '3cde7289a512db46f73a49c5a5299503efdd36c446ade4f3659bfc4be572ecfd':
    "query RunResult($id:UUID!){run(id:$id){id status suiteRuns{id suiteName suitePath agentName cellKey variant purpose status failureReason passedCases failedCases erroredCases skippedCases verdict{detail}}}}",
  '3ffdcb04085c3545390d1106ce812a1f66c2c26d431e7cdda317c035a38a4113':
    "subscription RunsChanged{runsChanged{...RunSummary}}fragment RunSummary on Run{id status event repository host ref pullRequest headSha author createdBy triggeredBy isBase title createdAt startedAt completedAt durationMs verdictWord conclusion totalSuiteRuns finishedSuiteRuns totalCases openCases head{totalCases openCases passedCases failedCases erroredCases skippedCases passRate}}",
  '49a99e87ee713d69210f39590cd8218fedc7566ee6db64c1956592dc6d8eb488':
    "query ChangesBetween($from:UUID!$to:UUID!){run(id:$to){changes(base:$from){...ChangedText}}}fragment ChangedText on TextChange{path added removed hunks{baseLine headLine lines}}",
  '4a2ccaab29fe8155871fe4249eb00558cae14e128c41b25b33e2cc1121a88a5b':
    "query RunReport($id:UUID!){run(id:$id){id status conclusion verdictWord feedback{outcome headline markdown text costUsd suitesTotal suitesAffected annotations{...LineRemark}}suiteRuns{id suiteName suitePath cellKey variant purpose passedCases failedCases erroredCases verdict{detail}}}}fragment LineRemark on Annotation{path line level title message}",
  '4c6d8fcedb6f48cef333d24b0f4b02e11a8bd20e052cd1420fb836a07670cc10':
    "mutation UpdateRunNotes($id:UUID!$notes:String){updateRunNotes(id:$id notes:$notes){...on UpdateRunNotesSuccess{run{id notes}}...on UserError{code message}}}",
  '4cfca03b85e543285cca98b885de1acec698add0670bb44d1a0b36fe05deb3cc':
    "mutation CreateTenant($name:String!){createTenant(name:$name){...Refused ...on CreateTenantSuccess{tenant tenantId token}}}fragment FileProblem on Problem{severity code file line column path message hint}fragment Refused on UserError{__typename code message ...on InvalidDefinitions{problems{...FileProblem}}...on InvalidInput{arguments:problems{path message}}...on IdempotencyConflict{runId}...on MissingBlobs{digests}...on RateLimited{retryAfterMs}}",
  '54aa86105ffa12b005ec7572c8e814ab092ede072e8b6d3e079d9c532659e377':
    "mutation PageTestAlertChannel($id:UUID!){testAlertChannel(id:$id){...on UserError{code message}}}",
  '55519f6ad240580ad6627e8a4ade4f71e7ee8c0aee94c03bd63de436ed7f25f2':
    "query SetUpSchedules($after:String$state:ScheduleState){scheduledRuns(first:50 after:$after state:$state){edges{node{dueAt state reason suiteId suite{name}run{id verdictWord}}}pageInfo{hasNextPage endCursor}}}",
  '614b53b72f7b31550b06fa2a7cdef4e03da60150f1bb3677234cbdcbeb48313f':
    "query Runs($filter:RunFilter$after:String){runs(first:40 after:$after filter:$filter){edges{node{...RunSummary costUsd suiteRuns{suiteName cellKey}}}pageInfo{hasNextPage endCursor}}}fragment RunSummary on Run{id status event repository host ref pullRequest headSha author createdBy triggeredBy isBase title createdAt startedAt completedAt durationMs verdictWord conclusion totalSuiteRuns finishedSuiteRuns totalCases openCases head{totalCases openCases passedCases failedCases erroredCases skippedCases passRate}}",
  '63982800737479278e8f85346516da36b23fcfd5be60e5b4868306cb7661eed7':
    "query BrokeSince($since:DateTime!){suiteRuns(first:20 filter:{verdict:REGRESSED createdAfter:$since}){edges{node{id suiteName cellKey completedAt verdict{title flagged}run{id isBase headSha pullRequest title author repository ref createdBy triggeredBy}}}}}",
  '64912af1c34c437e3c9de1b071514a4978859038bc3ee92aa90ac0d85e9292de':
    "mutation PageRotateToken($id:UUID!$graceHours:Int!){rotateApiToken(id:$id graceHours:$graceHours){...on RotateApiTokenSuccess{token}...on UserError{code message}}}",
  '654e0854c728c7404f1399a96906c256a060c34dab7aef386218997a1fde41f8':
    "query FindCases($name:String!$suiteId:UUID){testCases(filter:{name:$name suiteId:$suiteId}first:10){edges{node{id suite{name}}}}}",
  '6675d8a6b454dcc4120fa0a57c8319fb8c885ee7bab45af5fd820c81b188d7cb':
    "query RunChanges($id:UUID!){run(id:$id){changes{...ChangedText}}}fragment ChangedText on TextChange{path added removed hunks{baseLine headLine lines}}",
  '67bf64e3b0968e35090362afb04b925eca7882a05ff88c24552b0d2106d4d946':
    "query SetUpPeople($after:String){people(first:50 after:$after){edges{node{id login displayName kind role disabledAt}}pageInfo{hasNextPage endCursor}}}",
  '689f92a3f47ca5c6c7d16b2b7b5293b33ed821d8993e6e030752df2277a9de67':
    "query SetUpSettings{settings{key value source description warning}}",
  '6f0352ff8507b1c378984dfd7bbe15aecc2b26311fe6aeb6b8ee4c77bf68c8cb':
    "query TestRunPlace($id:UUID!){testRun(id:$id){id caseName repetition suiteRunId}}",
  '7046ceb72118eeafec0d628ddf210e43d545a11a6ef3ba02a658a5a2b265b465':
    "query RunProgress($id:UUID!){run(id:$id){status totalCases openCases totalSuiteRuns finishedSuiteRuns poolsWithoutRunners}}",
  '70fdea37625a62a344815267ac93a49f6ea7b6d360aa70811fc4f91bbb8cc13e':
    "query SuiteOffBase($id:UUID!$onlyBase:Boolean=false){suite(id:$id){id ...SuiteCurves}}fragment CurvePoint on SuiteRun{id cellKey passRate passRateInterval{lo hi}verdictWord completedAt}fragment SuiteCurves on Suite{latest(onlyBase:$onlyBase){id cellKey costUsd}curves(onlyBase:$onlyBase cells:10 points:20){cellKey suiteRuns{...CurvePoint}}}",
  '7a966f3ad4842c704f8a6ecb2cade162af0bc4464efcf05570e1025fe2107727':
    "query ListSuites($filter:SuiteFilter$first:Int$after:String){suites(filter:$filter first:$first after:$after){edges{node{id name agentName path caseCount isEnabled scheduleType scheduleTime scheduleDayOfWeek scheduleCron scheduleTimeZone scheduleJitterMinutes}}pageInfo{hasNextPage endCursor}}}",
  '802f5875dc48a400b42bbe222f482af921a265c67a38b328399ddb90e4c3212a':
    "mutation PageRevokeToken($id:UUID!){revokeApiToken(id:$id){...on RevokeApiTokenSuccess{id}...on UserError{code message}}}",
  '82a3095855acc7ef1df7b7f324f619e10b208ff6a9293cf92d6f33ebb53f91c9':
    "query SetUpAlerts($after:String){alerts(first:50 after:$after){edges{node{id kind title createdAt endedAt run{id}deliveries{channel channelId state reason tries nextTryAt}}}pageInfo{hasNextPage endCursor}}}",
  '8c89d3fbaa17e621f34b7206911e0353a0d6936b134e092023f58f9723aaa2e6':
    "query FindRuns($filter:RunFilter$orderBy:TimeOrder$first:Int$after:String){runs(filter:$filter orderBy:$orderBy first:$first after:$after){edges{node{id status triggeredBy verdictWord repository headSha pullRequest author createdBy createdAt durationMs costUsd head{totalCases passedCases failedCases erroredCases passRate}}}pageInfo{hasNextPage endCursor}}}",
  '8d300afd17e645af05ed9919e191595406d365dfef05b06ce7e760ec9f7ee109':
    "query SuiteRunChanges($id:UUID!){suiteRun(id:$id){agentChanges{...ChangedText}resolvedVariables{values}baseline{resolvedVariables{values}}}}fragment ChangedText on TextChange{path added removed hunks{baseLine headLine lines}}",
  '8e31507f268b1a4fe1d8d1fea2999df2abec74a03389633e3a13fd9c4dfd99a9':
    "mutation PageChangePerson($id:UUID!$role:Role$isDisabled:Boolean){changePerson(id:$id role:$role isDisabled:$isDisabled){...on ChangePersonSuccess{person{id}}...on UserError{code message}}}",
  '964e3e69d7591f413b84d7ade8879ab8858d110b7c33e9a220136bb6cc820619':
    "query SetUpCases($id:UUID!$after:String){suite(id:$id){testCases(first:100 after:$after){edges{node{id name line tags difficulty status isEnabled}}pageInfo{hasNextPage endCursor}}}}",
  '96a71e7d2f0b1fda85a10a3cefacee55e4b946b7d3c0da19827d3a9ebe8c2f52':
    "mutation RepeatTestRun($input:RepeatTestRunInput!){repeatTestRun(input:$input){...Started ...Refused}}fragment FileProblem on Problem{severity code file line column path message hint}fragment Refused on UserError{__typename code message ...on InvalidDefinitions{problems{...FileProblem}}...on InvalidInput{arguments:problems{path message}}...on IdempotencyConflict{runId}...on MissingBlobs{digests}...on RateLimited{retryAfterMs}}fragment Started on StartRunSuccess{__typename created dispatch reporting run{id}warnings{...FileProblem}}",
  '981e8c8d75f56a6c4efc3db7255207af0405ca87e5873d575fd93ec828b0dd8c':
    "mutation CreateApiToken($input:CreateApiTokenInput!){createApiToken(input:$input){...Refused ...on CreateApiTokenSuccess{token apiToken{id}}}}fragment FileProblem on Problem{severity code file line column path message hint}fragment Refused on UserError{__typename code message ...on InvalidDefinitions{problems{...FileProblem}}...on InvalidInput{arguments:problems{path message}}...on IdempotencyConflict{runId}...on MissingBlobs{digests}...on RateLimited{retryAfterMs}}",
  '995a20075a2015aa4e977993c1330a83e0571b83a30b3254b4c3c5fac9874126':
    "query CaseOfSuiteRun($suiteRunId:UUID!$caseName:String!){suiteRun(id:$suiteRunId){id suiteId suiteName suitePath cellKey variant status run{...RunSummary}verdict{word flagged judge{path isMeasured isWeak labels agreement kappa tpr tnr problem}}testRuns(first:100 caseName:$caseName){edges{node{id repetition status}}}baseline{id run{id headSha pullRequest isBase}testRuns(first:100 caseName:$caseName){edges{node{id repetition status}}}}}}fragment RunSummary on Run{id status event repository host ref pullRequest headSha author createdBy triggeredBy isBase title createdAt startedAt completedAt durationMs verdictWord conclusion totalSuiteRuns finishedSuiteRuns totalCases openCases head{totalCases openCases passedCases failedCases erroredCases skippedCases passRate}}",
  '9b484e109c9c7149c9732c63956936d5a6c116a828d7f96b946fff35705f56fb':
    "mutation ChangePerson($id:UUID!$role:Role$isDisabled:Boolean){changePerson(id:$id role:$role isDisabled:$isDisabled){...Refused ...on ChangePersonSuccess{person{id login role disabledAt}}}}fragment FileProblem on Problem{severity code file line column path message hint}fragment Refused on UserError{__typename code message ...on InvalidDefinitions{problems{...FileProblem}}...on InvalidInput{arguments:problems{path message}}...on IdempotencyConflict{runId}...on MissingBlobs{digests}...on RateLimited{retryAfterMs}}",
  '9b8e2198f70aaaec9dac2dd0260b15ad312512043e2d7c2a68a8ead669c66e19':
    "mutation RotateApiToken($id:UUID!$graceHours:Int){rotateApiToken(id:$id graceHours:$graceHours){...Refused ...on RotateApiTokenSuccess{token apiToken{id}}}}fragment FileProblem on Problem{severity code file line column path message hint}fragment Refused on UserError{__typename code message ...on InvalidDefinitions{problems{...FileProblem}}...on InvalidInput{arguments:problems{path message}}...on IdempotencyConflict{runId}...on MissingBlobs{digests}...on RateLimited{retryAfterMs}}",
  '9dc3c8d50f5a02ddec826fe8431598dc160e4463c961b5b9e75a4b105503df18':
    "mutation CreateChannel($input:CreateAlertChannelInput!){createAlertChannel(input:$input){...Refused ...on CreateAlertChannelSuccess{signingSecret alertChannel{id name kind}}}}fragment FileProblem on Problem{severity code file line column path message hint}fragment Refused on UserError{__typename code message ...on InvalidDefinitions{problems{...FileProblem}}...on InvalidInput{arguments:problems{path message}}...on IdempotencyConflict{runId}...on MissingBlobs{digests}...on RateLimited{retryAfterMs}}",
  'a0415d73fe6e160f2f63256c725e1ed3cbf28b6c289d082f07510c57175fbbde':
    "mutation PageRepeatTestRun($input:RepeatTestRunInput!){repeatTestRun(input:$input){...on StartRunSuccess{run{id}}...on UserError{code message}}}",
  'a07b68141335235d04d6576798a2da97ce412ff29b4888cc1c7302af7912572d':
    "mutation UpdateChannel($input:UpdateAlertChannelInput!){updateAlertChannel(input:$input){...Refused ...on UpdateAlertChannelSuccess{alertChannel{...ChannelFields}}}}fragment ChannelFields on AlertChannel{id name kind url recipients events isEnabled quietFrom quietUntil timeZone suite{name}repository{fullName}}fragment FileProblem on Problem{severity code file line column path message hint}fragment Refused on UserError{__typename code message ...on InvalidDefinitions{problems{...FileProblem}}...on InvalidInput{arguments:problems{path message}}...on IdempotencyConflict{runId}...on MissingBlobs{digests}...on RateLimited{retryAfterMs}}",
  'a126243893f4f905a6d78f5c032dcb5a0690aa8f87896e9d4b59cf757b0d63dd':
    "query SetUpTokens($after:String){apiTokens(first:50 after:$after){edges{node{id name login scopes repository createdAt expiresAt revokedAt lastUsedAt}}pageInfo{hasNextPage endCursor}}}",
  'a45fdfbea4a70062097768eb9b100022b3bc51e0ad23c9d12f4fd392271ec313':
    "query ListAudit($filter:AuditFilter$first:Int$after:String){audit(filter:$filter first:$first after:$after){edges{node{id at login token action subject names total changes}}pageInfo{hasNextPage endCursor}}}",
  'a5b1577cf918251a8cb1811ae3482d1568d43fee547dd3abd83a0214cc249ea3':
    "query OnlyTestRun($id:UUID!){run(id:$id){suiteRuns{testRuns(first:1){edges{node{id}}}}}}",
  'a636994cdb6163a417803c5a2510990f3f10c7591fa552257137616a2ff40e29':
    "query CaseLines($id:UUID!$after:String$tag:String$difficulty:Difficulty$failedCheck:String){suiteRun(id:$id){cases(first:100 after:$after tag:$tag difficulty:$difficulty failedCheck:$failedCheck){edges{node{...CaseLine}}pageInfo{hasNextPage endCursor}}}}fragment CaseLine on CaseDifference{caseName p change isQuarantined notComparable changedParts head{passed scored status}base{passed scored status}}",
  'a97cda105d58b86fe13caba55f4087f69cc331a2e40bb23e1047d4c1bb518ea6':
    "query RepositoryNames($after:String){repositories(first:100 after:$after){edges{node{id fullName}}pageInfo{hasNextPage endCursor}}}",
  'abf91fe8d87e5df57efc8fcbf4cac34c54a326b8bf889270f11694c350037b51':
    "query RunPage($id:UUID!){run(id:$id){...RunSummary baseSha notes rerunOf rescores costUsd poolsWithoutRunners feedback{headline}reporting{kind name state reason tries}suiteRuns{...JudgedSuiteRun failingCases(first:40){caseName reason}}}}fragment JudgedSuiteRun on SuiteRun{id suiteId suiteName suitePath agentName cellKey variant purpose status failureReason errorMessage totalCases openCases passedCases failedCases erroredCases skippedCases passRate passRateInterval{lo hi}verdictWord baselineSuiteRunId costUsd completedAt takenFrom{how runId suiteRunId pullRequest}verdict{word title paragraph lines newlyFailing flagged baselineLabel basePassRate headPassRate diffPoints ciLoPoints ciHiPoints measures{latencyMs{...SidesMeasured}tokens{...SidesMeasured}costUsd{...SidesMeasured}}unmeasured{metric measured wanted reason}judge{isMeasured isWeak labels agreement problem}}}fragment RunSummary on Run{id status event repository host ref pullRequest headSha author createdBy triggeredBy isBase title createdAt startedAt completedAt durationMs verdictWord conclusion totalSuiteRuns finishedSuiteRuns totalCases openCases head{totalCases openCases passedCases failedCases erroredCases skippedCases passRate}}fragment SidesMeasured on MeasureComparison{base{mean}head{mean}diffLo diffHi}",
  'ac00c27bd41f91492818f98bcbd94b422518ac59ce2db0fd804478707a1726d4':
    "query ListRunners{runners{id version pools slots heldTestRuns since runIds}}",
  'aed1c93dd4df9693024fd15ef27ef29d20284cabe4088d50aa64a47678818430':
    "query SetUpModels{aiConfigurations(first:100){edges{node{id name provider model baseUrl apiKeyEnv temperature maxTokens price limits pool}}}presets(first:100){edges{node{id name values}}}}",
  'b194e62f41e69e95729159a0ea26e5cfc41362c0b2130df8b960253e8751cbe9':
    "query CaseFacts($suiteId:UUID!$after:String){suite(id:$suiteId){testCases(first:40 after:$after){edges{node{id name tags difficulty line flakiness history(first:10){edges{node{passed failed errored suiteRunId}}}}}pageInfo{hasNextPage endCursor}}}}",
  'b5e92c2ab20f014bec257892ac41475e02746fbeca9dcbcb3b9af5fd4b4bcbfc':
    "query SuiteNames($after:String){suites(first:100 after:$after){edges{node{id name agentName}}pageInfo{hasNextPage endCursor}}}",
  'b8862a8d0273b9b4db77805f1b329f4e33e6d8383e1a91118d28e041c2e3fe63':
    "mutation UpdateRepository($input:UpdateRepositoryInput!){updateRepository(input:$input){...Refused ...on UpdateRepositorySuccess{repository{...RepositoryFields}}}}fragment FileProblem on Problem{severity code file line column path message hint}fragment Refused on UserError{__typename code message ...on InvalidDefinitions{problems{...FileProblem}}...on InvalidInput{arguments:problems{path message}}...on IdempotencyConflict{runId}...on MissingBlobs{digests}...on RateLimited{retryAfterMs}}fragment RepositoryFields on Repository{id host fullName defaultBranch baselineBranches claimPins{claim value}}",
  'bb9e37533767dfdc9627c0a21833cddf553b00fd99961a5ce6f1b05f3c18d9fa':
    "mutation PageUpdateChannel($input:UpdateAlertChannelInput!){updateAlertChannel(input:$input){...on UpdateAlertChannelSuccess{alertChannel{id}}...on UserError{code message}}}",
  'bce934c426d926d735178ff2b0f5bcf52b32dfb531c3aca7b53f29484b553453':
    "mutation PageRerunRun($input:RerunRunInput!){rerunRun(input:$input){...on StartRunSuccess{run{id}}...on UserError{code message}}}",
  'c0b2aab6d9033d80b550354496936157eb64cdbe902e524aa780d1dc82fac4e9':
    "query ListCasesOfSuite($id:UUID!$first:Int$after:String){suite(id:$id){testCases(first:$first after:$after){edges{node{id name status isEnabled difficulty tags}}pageInfo{hasNextPage endCursor}}}}",
  'c64b108297f89a19479745edb25e94e20cd58faed6688b0cd7e4aade64f50f6d':
    "mutation PageUpdateSetting($input:UpdateSettingInput!){updateSetting(input:$input){...on UpdateSettingSuccess{setting{key value}}...on UserError{code message}}}",
  'c8bb2304fe4c4f26b622d71d15b843f832f070ce9c30c22dba8b81c8b8c628f5':
    "mutation ConfirmSuiteRun($id:UUID!){confirmSuiteRun(id:$id){...on ConfirmSuiteRunSuccess{run{id}}...on UserError{code message}}}",
  'c96d91980fc7f00be4afcce9a7ecdd487511e850071f933fb85cbba75cc73d5b':
    "mutation WriteRunNotes($id:UUID!$notes:String){updateRunNotes(id:$id notes:$notes){...Refused ...on UpdateRunNotesSuccess{run{id notes}}}}fragment FileProblem on Problem{severity code file line column path message hint}fragment Refused on UserError{__typename code message ...on InvalidDefinitions{problems{...FileProblem}}...on InvalidInput{arguments:problems{path message}}...on IdempotencyConflict{runId}...on MissingBlobs{digests}...on RateLimited{retryAfterMs}}",
  'cb28ed48544f3675632d29f733967b1e83e5ea664051b63eaa19e8317ef71150':
    "query ListAlerts($suiteId:UUID$kind:AlertKind$first:Int$after:String){alerts(suiteId:$suiteId kind:$kind first:$first after:$after){edges{node{id kind title createdAt endedAt suiteName cellKey run{id}deliveries{channel channelId state reason tries}}}pageInfo{hasNextPage endCursor}}}",
  'cc2a79451b32b458c3740fa515cdbb357a5f343222fe6a3ffa3bc657b750e172':
    "mutation PageCreatePerson($input:CreatePersonInput!){createPerson(input:$input){...on CreatePersonSuccess{person{login}}...on UserError{code message}}}",
  'd33edbe382a044a71f0a9de80c1c4bebe0761f748e0bb8f672fc70eaf898cb87':
    "mutation PageCreateChannel($input:CreateAlertChannelInput!){createAlertChannel(input:$input){...on CreateAlertChannelSuccess{signingSecret}...on UserError{code message}}}",
  'd3a2b3cf7943866c20e1c195fbb0bb6a9a1147f77702239c4333da14c3a69bb8':
    "mutation EnrollRepository($input:EnrollRepositoryInput!){enrollRepository(input:$input){...Refused ...on EnrollRepositorySuccess{repository{...RepositoryFields}}}}fragment FileProblem on Problem{severity code file line column path message hint}fragment Refused on UserError{__typename code message ...on InvalidDefinitions{problems{...FileProblem}}...on InvalidInput{arguments:problems{path message}}...on IdempotencyConflict{runId}...on MissingBlobs{digests}...on RateLimited{retryAfterMs}}fragment RepositoryFields on Repository{id host fullName defaultBranch baselineBranches claimPins{claim value}}",
  'd3cc2164cbf8ecd508133ec7103bdcd386cf2c3c57b1e2b674f52c975616d5f2':
    "query SuiteRunTestRuns($id:UUID!$after:String){suiteRun(id:$id){agentHash settingKey testRuns(first:50 after:$after){edges{node{caseName caseHash instrumentHash sortOrder repetition skipReason work outcome}}pageInfo{endCursor hasNextPage}}}}",
  'd52330c5be2df6d14e0e7bab295f4a1ec6b2817a08da6c987a8577023c74469d':
    "mutation StartRun($input:StartRunInput!){startRun(input:$input){...Started ...Refused}}fragment FileProblem on Problem{severity code file line column path message hint}fragment Refused on UserError{__typename code message ...on InvalidDefinitions{problems{...FileProblem}}...on InvalidInput{arguments:problems{path message}}...on IdempotencyConflict{runId}...on MissingBlobs{digests}...on RateLimited{retryAfterMs}}fragment Started on StartRunSuccess{__typename created dispatch reporting run{id}warnings{...FileProblem}}",
  'd6124ff76ccd1f464cbb3d6647ea952bc41de589cd9647f235334c2ec460b736':
    "query SuiteTrend($id:UUID!$cellKey:String$onlyBase:Boolean!$after:String){suite(id:$id){id name agentName path caseCount latest{cellKey}history(first:60 cellKey:$cellKey onlyBase:$onlyBase after:$after){edges{node{...CurvePoint costUsd latencyMs agentHash contentHash startedAt totalCases run{id headSha title pullRequest author createdBy triggeredBy}}}pageInfo{hasNextPage endCursor}}}flakyCases(first:20 suiteId:$id){caseName cellKey flakiness passed scored}}fragment CurvePoint on SuiteRun{id cellKey passRate passRateInterval{lo hi}verdictWord completedAt}",
  'db32fe7e500307d1a58c10816daf1936067bcbfcf67983d1cbcc5962c2ba0c38':
    "query TestRunWork($id:UUID!){testRun(id:$id){id caseName repetition status skipReason work outcome}}",
  'dbd1fa4cd7c200a6aacf93ce029748c248ef685e1ed9ec68e6232ab2ff675f1c':
    "query SetUpSuites($after:String){suites(first:50 after:$after){edges{node{id name path agentName caseCount isEnabled scheduleType scheduleTime alertOnRegression alertThresholdPercent agent{configPath}}}pageInfo{hasNextPage endCursor}}}",
  'dce9b9358307072ad937ca7b5d2b1c7b14d59d0d0f6a61af49eb85cb897668cf':
    "query ApiTokens($first:Int$after:String){apiTokens(first:$first after:$after){edges{node{id name scopes login repository createdAt expiresAt revokedAt lastUsedAt}}pageInfo{hasNextPage endCursor}}}",
  'deac3add1fe9c6d36d75182a52c33a67c16c48c5b0eb0447681a79283f90ac89':
    "query Viewer{viewer{tenant login kind scopes}}",
  'dedfb0c107577213bd6f8613c8405fbe8277788f2741c054661c281dfad277e0':
    "mutation PageCancelRun($id:UUID!){cancelRun(id:$id){...on CancelRunSuccess{changed}...on UserError{code message}}}",
  'df66138b34a5e3a8f40c4f2ee6e94f8b8e038cec41f456a4cefe2d94e0b0a5ce':
    "mutation PageCreateToken($input:CreateApiTokenInput!){createApiToken(input:$input){...on CreateApiTokenSuccess{token}...on UserError{code message}}}",
  'e876b70f885da876dc93fde4b44b355b6a1c8cd513e38b1efe0ab0884364129a':
    "query SetUpChannels{alertChannels(first:100){edges{node{id name kind url recipients events isEnabled quietFrom quietUntil timeZone suite{id name}repository{id fullName}}}}}",
  'ea1504a2f0f5b02c0aebb929c4745a1797621faf377ccfd9274f94469b65c22f':
    "query SuiteRunResult($id:UUID!){suiteRun(id:$id){report costUsd failures{result testRunId caseName repetition summary reasons}}}",
  'ecbfb00c32f224a6d29effb52cc2e79e3128560362514aa3360369cefd4a7892':
    "query ListRepositories($first:Int$after:String){repositories(first:$first after:$after){edges{node{...RepositoryFields}}pageInfo{hasNextPage endCursor}}}fragment RepositoryFields on Repository{id host fullName defaultBranch baselineBranches claimPins{claim value}}",
  'f2809ff887786a076a92b2eb816aab7d6bd6fd269ce22dcec65b8717c401a811':
    "query ListScheduledRuns($suiteId:UUID$state:ScheduleState$first:Int$after:String){scheduledRuns(suiteId:$suiteId state:$state first:$first after:$after){edges{node{dueAt state reason suiteId suite{name}run{id verdictWord}}}pageInfo{hasNextPage endCursor}}}",
  'f2dbc7d83951358eb4b70a82500c4b9d13ac9a26bc959159c10b3dab5e86fba6':
    "query Home($after:String$onlyBase:Boolean=true){suites(first:20 after:$after){edges{node{id name agentName path caseCount flakyCases isEnabled scheduleType ...SuiteCurves}}pageInfo{hasNextPage endCursor}}}fragment CurvePoint on SuiteRun{id cellKey passRate passRateInterval{lo hi}verdictWord completedAt}fragment SuiteCurves on Suite{latest(onlyBase:$onlyBase){id cellKey costUsd}curves(onlyBase:$onlyBase cells:10 points:20){cellKey suiteRuns{...CurvePoint}}}",
  'f5b8ac8806b4893bcc611607a44a5a5e1167517a3b4c8335876371616d36f2de':
    "query MatrixCases($id:UUID!$after:String){suiteRun(id:$id){cases(first:100 after:$after){edges{node{caseName head{passed scored status}base{passed scored status}}}pageInfo{hasNextPage endCursor}}}}",
  'f60f58e1a1933e0b67b47de2fc65076cd1079206fc3bcd339da24bd891ab6acf':
    "mutation TestChannel($id:UUID!){testAlertChannel(id:$id){...Refused ...on TestAlertChannelSuccess{alert{id}}}}fragment FileProblem on Problem{severity code file line column path message hint}fragment Refused on UserError{__typename code message ...on InvalidDefinitions{problems{...FileProblem}}...on InvalidInput{arguments:problems{path message}}...on IdempotencyConflict{runId}...on MissingBlobs{digests}...on RateLimited{retryAfterMs}}",
  'f6dbf06dfe9f3a0f54bd615ebef8374ff52bdf32423dbc9e31b97b1a85093519':
    "query WholeTestRun($id:UUID!){testRun(id:$id){...WholeTestRun testCase{id line tags difficulty flakiness description groundTruth history(first:20){edges{node{passed failed errored isBase headSha endedAt suiteRunId}}}}}}fragment WholeTestRun on TestRun{id caseName caseKey caseHash repetition status attempt retryCount errorKind errorMessage skipReason degraded truncated testInput response model promptTokens completionTokens costUsd latencyMs executionTimeMs startedAt recordedFrom toolsMatched metricsPassed metricsTotal checks{index type status passed turn error details}toolCalls{id name args argsError result error durationMs source turn}metricResults{metricName kind score threshold scale passed error reasoning modelUsed evaluationTimeMs retryCount}outcomes{passed error score injectionAttempt criteria{id requirement status reasoning}}transcript{role text toolCallId}progress{state atMs}outcome resolvedVariables{values sources}}",
  'f92d9d357ae3ea6c7b93c9e7fa1013c34dac57adf5c8a544d4adc747ac3295be':
    "query SuiteRunReport($id:UUID!){suiteRun(id:$id){report}}",
  'fa1aa17a0452621ae9b7c3e348fb4600af16d95131f0315c1ee6684f2f19ecac':
    "query OpenCaseLines($id:UUID!$after:String){suiteRun(id:$id){testRuns(first:100 after:$after){edges{node{id caseName repetition status}}pageInfo{hasNextPage endCursor}}}}",
  'fb70aa893a045559ef3b63a0f53f7f6790e10a4dce72d37166ab6340bb7211e7':
    "query CompareSides($base:UUID!$head:UUID!){compare(base:$base head:$head){comparisons{base{id suiteName cellKey passRate passedCases failedCases erroredCases run{id headSha title}}head{id suiteName cellKey passRate passedCases failedCases erroredCases run{id headSha title}}verdict{word title paragraph basePassRate headPassRate diffPoints ciLoPoints ciHiPoints}cases(first:41 onlyDifferent:true){caseName change p answerChanged toolsChanged notComparable changedParts base{passed scored status answer tools testRunId}head{passed scored status answer tools testRunId}}}onlyBase{id suiteName cellKey}onlyHead{id suiteName cellKey}}}",
  'fc5ebfdd992a7f1d00aa3ce6234d64eb49b142fd7d538649359d34cd9f3c08c6':
    "query SetUpRunners{runners{id version pools slots heldTestRuns since runIds}}",
  'fec9db91c13e7f4dab2b050e84ad0902bf5c27591a3756b262bb6ab687954c76':
    "mutation ExchangeToken{exchangeToken{token expiresAt reporting maxBodyBytes}}",
  'ff2cadb6987603cd6d1f5c4e9551a11bfdcf71fcc86549f8d6bad0262f3d8f01':
    "query ListChannels($first:Int$after:String){alertChannels(first:$first after:$after){edges{node{...ChannelFields}}pageInfo{hasNextPage endCursor}}}fragment ChannelFields on AlertChannel{id name kind url recipients events isEnabled quietFrom quietUntil timeZone suite{name}repository{fullName}}",
};
