/** A question to a documentation repository, and the files that answer it, without their endings. */
export type Question = readonly [query: string, ...answers: string[]];

/**
 * Written before any result was seen: exact terms, sentences, typos, beginnings and identifiers. By the name of the public
 * repository that they are about.
 */
export const QUESTIONS: Readonly<
  Record<string, { language: string | null; questions: readonly Question[] }>
> = {
  'fluent/fluent-bit-docs': {
    language: 'en',
    questions: [
      ['Mem_Buf_Limit', 'administration/backpressure', 'administration/memory-management'],
      [
        'how do I stop an input from using too much memory',
        'administration/backpressure',
        'administration/memory-management',
      ],
      ['storage.max_chunks_up', 'pipeline/buffering', 'administration/backpressure'],
      ['reload the configuration without restarting', 'administration/hot-reload'],
      ['exponential backoff retry', 'administration/scheduling-and-retries'],
      ['kubernets pod metadata', 'pipeline/filters/kubernetes'],
      ['Rewrite_Tag', 'pipeline/filters/rewrite-tag'],
      [
        'multi line java stack traces',
        'pipeline/parsers/multiline-parsing',
        'pipeline/filters/multiline-stacktrace',
      ],
      ['verify tls certificate of the server', 'administration/transport-security'],
      ['send logs to a s3 bucket', 'pipeline/outputs/s3'],
      [
        'promet',
        'pipeline/outputs/prometheus-exporter',
        'pipeline/outputs/prometheus-remote-write',
        'pipeline/inputs/prometheus-remote-write',
        'pipeline/inputs/prometheus-scrape-metrics',
        'pipeline/inputs/prometheus-textfile',
      ],
      ['read log files and remember the offset in a database', 'pipeline/inputs/tail'],
      ['geoip', 'pipeline/filters/geoip2-filter'],
      ['run fluent bit as a docker container', 'installation/downloads/docker'],
      ['what is a tag', 'concepts/key-concepts'],
      ['lua script callback function', 'pipeline/filters/lua'],
      [
        'validate keys with expect filter before production',
        'local-testing/validating-your-data-and-structure',
        'pipeline/filters/expect',
      ],
      ['elasticsaerch index name', 'pipeline/outputs/elasticsearch'],
      ['where to put aws credentials', 'administration/aws-credentials'],
      ['monitor fluent bit health check endpoint', 'administration/monitoring'],
    ],
  },
  'unknwon/the-way-to-go_ZH_CN': {
    language: 'zh',
    questions: [
      ['切片追加', '07.5'],
      ['defer 关闭文件', '12.7', '16.3'],
      ['从 panic 中恢复', '13.3'],
      ['闭包', '06.8', '06.9', '06.10'],
      ['如何读取命令行参数', '12.4'],
      ['GOROOT', '02.2'],
      ['map 排序', '08.5'],
      ['类型断言', '11.3'],
      ['websocket', '15.11'],
      ['如何在 Windows 上安装', '02.5'],
      ['单元测试和基准测试', '13.7'],
      ['SetFinalizer', '10.8'],
      ['标签与 goto', '05.6'],
      ['strconv', '04.7'],
      ['递归函数斐波那契', '06.6'],
      ['漏桶', '14.15'],
      ['惰性生成器', '14.8'],
      ['websockt 通信', '15.11'],
      ['json 序列化', '12.9'],
      ['regexp', '09.2'],
    ],
  },
};
