<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="zh_CN" sourcelanguage="en_US">
<context>
    <name>AboutDialog</name>
    <message>
        <source>About Mixbit</source>
        <translation>关于 Mixbit</translation>
    </message>
    <message>
        <source>Choose a precision for every layer of an ONNX model and see at once what it costs and saves.</source>
        <translation>为 ONNX 模型的每一层选择精度，立刻看到代价与收益。</translation>
    </message>
    <message>
        <source>Licence: Apache-2.0. Simulated figures are estimates of a model.</source>
        <translation>许可证：Apache-2.0。仿真数值是模型给出的估计。</translation>
    </message>
    <message>
        <source>Copy versions</source>
        <translation>复制版本信息</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
</context>
<context>
    <name>Actions</name>
    <message>
        <source>Open model</source>
        <translation>打开模型</translation>
    </message>
    <message>
        <source>ONNX models (*.onnx)</source>
        <translation>ONNX 模型 (*.onnx)</translation>
    </message>
    <message>
        <source>Model that the dumps are of</source>
        <translation>选择转储所属的模型</translation>
    </message>
    <message>
        <source>Open project</source>
        <translation>打开项目</translation>
    </message>
    <message>
        <source>Mixbit projects (*.mixbit)</source>
        <translation>Mixbit 项目 (*.mixbit)</translation>
    </message>
    <message>
        <source>Save project</source>
        <translation>保存项目</translation>
    </message>
    <message>
        <source>Precisions (*.json *.encodings *.onnx)</source>
        <translation>精度配置 (*.json *.encodings *.onnx)</translation>
    </message>
    <message>
        <source>Import precisions</source>
        <translation>导入精度</translation>
    </message>
    <message>
        <source>All files (*)</source>
        <translation>所有文件 (*)</translation>
    </message>
</context>
<context>
    <name>BehindMark</name>
    <message>
        <source>≈ before the edit</source>
        <translation>≈ 修改前</translation>
    </message>
</context>
<context>
    <name>BlockMatrix</name>
    <message>
        <source>unmarked: INT4</source>
        <translation>未标记：INT4</translation>
    </message>
</context>
<context>
    <name>BlocksView</name>
    <message>
        <source>Blocks</source>
        <translation>模块</translation>
    </message>
    <message>
        <source>Blocks by kernel</source>
        <translation>各模块的算子</translation>
    </message>
    <message>
        <source>Copy and export</source>
        <translation>复制与导出</translation>
    </message>
    <message>
        <source>Open a model to see its repeated blocks side by side.</source>
        <translation>打开模型后，这里并排显示其重复模块。</translation>
    </message>
    <message>
        <source>No three blocks of this network are alike: Layers and Graph show its kernels one by one.</source>
        <translation>此网络没有三个以上相同的模块：层表和图会逐个显示算子。</translation>
    </message>
</context>
<context>
    <name>BudgetsDialog</name>
    <message>
        <source>Budgets</source>
        <translation>预算</translation>
    </message>
    <message>
        <source>What the plan has to meet</source>
        <translation>方案需要达到的要求</translation>
    </message>
    <message>
        <source>Summary compares each value with its budget; one that is off is not checked.</source>
        <translation>概览将每个数值与预算比较；关闭的预算不检查。</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Apply</source>
        <translation>应用</translation>
    </message>
    <message>
        <source>Output SQNR</source>
        <translation>输出 SQNR</translation>
    </message>
    <message>
        <source>Latency</source>
        <translation>时延</translation>
    </message>
    <message>
        <source>Peak memory</source>
        <translation>峰值内存</translation>
    </message>
    <message>
        <source>Model size</source>
        <translation>模型大小</translation>
    </message>
    <message>
        <source>Energy per run</source>
        <translation>单次能耗</translation>
    </message>
    <message>
        <source>Skin temperature</source>
        <translation>表面温度</translation>
    </message>
    <message>
        <source>now {value}</source>
        <translation>当前 {value}</translation>
    </message>
</context>
<context>
    <name>BulkBar</name>
    <message>
        <source>Advanced…</source>
        <translation>高级…</translation>
    </message>
    <message>
        <source>Select similar</source>
        <translation>选择相似</translation>
    </message>
    <message>
        <source>Clear</source>
        <translation>清除</translation>
    </message>
    <message numerus="yes">
        <source>%n kernel(s) selected</source>
        <translation>
            <numerusform>已选 %n 个算子</numerusform>
        </translation>
    </message>
    <message>
        <source>({0} hidden by the filter)</source>
        <translation>（{0} 个被筛选隐藏）</translation>
    </message>
    <message>
        <source>Unlock</source>
        <translation>解锁</translation>
    </message>
    <message>
        <source>Lock</source>
        <translation>锁定</translation>
    </message>
    <message>
        <source>Depthwise and recurrent kernels take INT8 instead of INT4: 4 bits save next to nothing there.</source>
        <translation>深度卷积和循环算子用 INT8 而不用 INT4：在那里 4 位几乎省不了什么。</translation>
    </message>
    <message>
        <source>INT4; {0} stay INT8</source>
        <translation>INT4；{0} 个保持 INT8</translation>
    </message>
    <message>
        <source>Already {0}</source>
        <translation>已是 {0}</translation>
    </message>
    <message>
        <source>latency {0}</source>
        <translation>时延 {0}</translation>
    </message>
    <message>
        <source>size {0}</source>
        <translation>大小 {0}</translation>
    </message>
    <message>
        <source>{0} stay INT8</source>
        <translation>{0} 个保持 INT8</translation>
    </message>
    <message>
        <source>If set to {0}:</source>
        <translation>改为 {0}：</translation>
    </message>
    <message>
        <source>Same operators</source>
        <translation>相同算子</translation>
    </message>
    <message>
        <source>Same kind</source>
        <translation>相同类别</translation>
    </message>
    <message>
        <source>Same precision</source>
        <translation>相同精度</translation>
    </message>
    <message>
        <source>Same last part of the name</source>
        <translation>名称末段相同</translation>
    </message>
</context>
<context>
    <name>ChangesView</name>
    <message>
        <source>What the target changes</source>
        <translation>导出目标的改动</translation>
    </message>
    <message numerus="yes">
        <source>%n kernel(s)</source>
        <translation>
            <numerusform>%n 个算子</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>ChartView</name>
    <message>
        <source>Copy and export</source>
        <translation>复制与导出</translation>
    </message>
</context>
<context>
    <name>ColdStart</name>
    <message>
        <source>read the file</source>
        <translation>读取文件</translation>
    </message>
    <message>
        <source>parse it</source>
        <translation>解析</translation>
    </message>
    <message>
        <source>runtime init</source>
        <translation>运行时初始化</translation>
    </message>
    <message>
        <source>compile on device</source>
        <translation>端侧编译</translation>
    </message>
    <message>
        <source>load kernels</source>
        <translation>加载算子</translation>
    </message>
    <message>
        <source>weight re-layout</source>
        <translation>权重重排</translation>
    </message>
    <message>
        <source>warm-up run</source>
        <translation>预热运行</translation>
    </message>
    <message>
        <source>first run</source>
        <translation>首次运行</translation>
    </message>
    <message>
        <source>compiled at start</source>
        <translation>启动时编译</translation>
    </message>
    <message>
        <source>+ preload + warm-up</source>
        <translation>+ 预加载 + 预热</translation>
    </message>
    <message>
        <source>+ preload</source>
        <translation>+ 预加载</translation>
    </message>
    <message>
        <source>compiled ahead</source>
        <translation>离线编译</translation>
    </message>
    <message>
        <source>preprocess</source>
        <translation>预处理</translation>
    </message>
    <message>
        <source>layout</source>
        <translation>排布转换</translation>
    </message>
    <message>
        <source>copy in</source>
        <translation>拷入</translation>
    </message>
    <message>
        <source>submit</source>
        <translation>下发</translation>
    </message>
    <message>
        <source>run</source>
        <translation>运行</translation>
    </message>
    <message>
        <source>copy out</source>
        <translation>拷出</translation>
    </message>
    <message>
        <source>The NPU never waits: only a faster run gives more frames.</source>
        <translation>NPU 从不等待：只有运行更快才能得到更多帧。</translation>
    </message>
    <message>
        <source>The NPU waits {time} per frame for the CPU: overlap the two, or prepare less.</source>
        <translation>NPU 每帧等待 CPU {time}：让两者重叠，或减少预处理。</translation>
    </message>
    <message>
        <source>The NPU waits {time} per frame while its only buffer is filled: a second one hides that.</source>
        <translation>NPU 每帧等待唯一的缓冲区填充 {time}：再加一个缓冲区即可隐藏。</translation>
    </message>
    <message>
        <source>The NPU waits {time} per frame for the next one to arrive.</source>
        <translation>NPU 每帧等待下一帧到达 {time}。</translation>
    </message>
</context>
<context>
    <name>ColdStartView</name>
    <message>
        <source>Cold start</source>
        <translation>冷启动</translation>
    </message>
    <message>
        <source>Copy and export</source>
        <translation>复制与导出</translation>
    </message>
    <message>
        <source>Preload</source>
        <translation>预加载</translation>
    </message>
    <message>
        <source>The program loads the model when it starts</source>
        <translation>程序启动时即加载模型</translation>
    </message>
    <message>
        <source>Compiled ahead</source>
        <translation>离线编译</translation>
    </message>
    <message>
        <source>Offline, or kept from an earlier start</source>
        <translation>离线编译，或沿用先前启动的编译缓存</translation>
    </message>
    <message>
        <source>Warm-up</source>
        <translation>预热</translation>
    </message>
    <message>
        <source>One run on dummy input follows the loading</source>
        <translation>加载后立即用虚拟输入运行一次</translation>
    </message>
    <message>
        <source>Zero-copy</source>
        <translation>零拷贝</translation>
    </message>
    <message>
        <source>CPU and NPU share the memory of inputs and outputs</source>
        <translation>CPU 与 NPU 共享输入和输出的内存</translation>
    </message>
    <message>
        <source>Layout on CPU</source>
        <translation>CPU 转换排布</translation>
    </message>
    <message>
        <source>The CPU turns pictures into planes of FP16</source>
        <translation>由 CPU 把图像转换为 FP16 平面排布</translation>
    </message>
    <message>
        <source>Frames in a row</source>
        <translation>连续帧</translation>
    </message>
    <message>
        <source>preprocessing</source>
        <translation>预处理</translation>
    </message>
    <message>
        <source>estimated</source>
        <translation>估算</translation>
    </message>
    <message>
        <source>Time to prepare one input</source>
        <translation>准备一个输入的时间</translation>
    </message>
    <message>
        <source>synchronous</source>
        <translation>同步</translation>
    </message>
    <message>
        <source>asynchronous</source>
        <translation>异步</translation>
    </message>
    <message>
        <source>double-buffered</source>
        <translation>双缓冲</translation>
    </message>
    <message>
        <source>How CPU and NPU share the work</source>
        <translation>CPU 与 NPU 的协作方式</translation>
    </message>
    <message>
        <source>Open a model to see how soon its first result comes.</source>
        <translation>打开模型以查看首个结果需要多久。</translation>
    </message>
    <message>
        <source>The device is being simulated.</source>
        <translation>正在仿真设备。</translation>
    </message>
    <message>
        <source>{time} to the first result</source>
        <translation>首个结果需 {time}</translation>
    </message>
    <message>
        <source>{size} file, later results after {time}</source>
        <translation>文件 {size}，之后每次 {time}</translation>
    </message>
    <message>
        <source>; {time} of work is done before the request</source>
        <translation>；其中 {time} 在请求之前完成</translation>
    </message>
    <message>
        <source>ahead</source>
        <translation>提前</translation>
    </message>
    <message>
        <source>{fps} frames/s, latency {latency}, NPU {npu}, CPU {cpu} busy</source>
        <translation>{fps} 帧/秒，时延 {latency}，NPU 占用 {npu}，CPU 占用 {cpu}</translation>
    </message>
    <message>
        <source>{share} of the frames that arrive are dropped.</source>
        <translation>到达的帧中有 {share} 被丢弃。</translation>
    </message>
</context>
<context>
    <name>Columns</name>
    <message>
        <source>Rank</source>
        <translation>排名</translation>
    </message>
    <message>
        <source>Kernel</source>
        <translation>算子</translation>
    </message>
    <message>
        <source>Op</source>
        <translation>类型</translation>
    </message>
    <message>
        <source>Scheme</source>
        <translation>量化格式</translation>
    </message>
    <message>
        <source>Unit</source>
        <translation>单元</translation>
    </message>
    <message>
        <source>Bound by</source>
        <translation>瓶颈</translation>
    </message>
    <message>
        <source>Feeds</source>
        <translation>输出到</translation>
    </message>
    <message>
        <source>Block</source>
        <translation>块</translation>
    </message>
    <message>
        <source>Accumulated SQNR</source>
        <translation>累积 SQNR</translation>
    </message>
    <message>
        <source>Accumulated SQNR, previous plan</source>
        <translation>累积 SQNR（上一个方案）</translation>
    </message>
    <message>
        <source>Local SQNR</source>
        <translation>局部 SQNR</translation>
    </message>
    <message>
        <source>Output SQNR</source>
        <translation>输出 SQNR</translation>
    </message>
    <message>
        <source>SQNR of the logits</source>
        <translation>logits 的 SQNR</translation>
    </message>
    <message>
        <source>KL divergence</source>
        <translation>KL 散度</translation>
    </message>
    <message>
        <source>Cosine</source>
        <translation>余弦</translation>
    </message>
    <message>
        <source>Cosine distance</source>
        <translation>余弦距离</translation>
    </message>
    <message>
        <source>Changed best class</source>
        <translation>首选类别改变</translation>
    </message>
    <message>
        <source>Change of your own metric</source>
        <translation>自定义指标的变化</translation>
    </message>
    <message>
        <source>Gain when restored</source>
        <translation>还原后的增益</translation>
    </message>
    <message>
        <source>In the plan</source>
        <translation>方案所用</translation>
    </message>
    <message>
        <source>State</source>
        <translation>状态</translation>
    </message>
    <message>
        <source>Kind</source>
        <translation>种类</translation>
    </message>
    <message>
        <source>Precision</source>
        <translation>精度</translation>
    </message>
    <message>
        <source>Sensitivity</source>
        <translation>敏感度</translation>
    </message>
    <message>
        <source>Latency</source>
        <translation>时延</translation>
    </message>
    <message>
        <source>Local error</source>
        <translation>局部误差</translation>
    </message>
    <message>
        <source>Accumulated error</source>
        <translation>累积误差</translation>
    </message>
    <message>
        <source>Value</source>
        <translation>值</translation>
    </message>
    <message>
        <source>Proposal</source>
        <translation>候选方案</translation>
    </message>
    <message>
        <source>Model size</source>
        <translation>模型大小</translation>
    </message>
    <message>
        <source>Peak memory</source>
        <translation>峰值内存</translation>
    </message>
    <message>
        <source>Energy</source>
        <translation>能耗</translation>
    </message>
    <message>
        <source>Predicted SQNR</source>
        <translation>预测 SQNR</translation>
    </message>
    <message>
        <source>Measured SQNR</source>
        <translation>实测 SQNR</translation>
    </message>
    <message>
        <source>Accuracy</source>
        <translation>准确率</translation>
    </message>
    <message>
        <source>Breaks a budget</source>
        <translation>超出预算</translation>
    </message>
    <message>
        <source>Launch</source>
        <translation>启动</translation>
    </message>
    <message>
        <source>Latency, previous plan</source>
        <translation>时延（上一个方案）</translation>
    </message>
    <message>
        <source>MAC per byte</source>
        <translation>每字节 MAC</translation>
    </message>
    <message>
        <source>Lane</source>
        <translation>通道</translation>
    </message>
    <message>
        <source>Part</source>
        <translation>部分</translation>
    </message>
    <message>
        <source>Start</source>
        <translation>开始</translation>
    </message>
    <message>
        <source>Duration</source>
        <translation>时长</translation>
    </message>
    <message>
        <source>Tensor</source>
        <translation>张量</translation>
    </message>
    <message>
        <source>Written by</source>
        <translation>写入者</translation>
    </message>
    <message>
        <source>Address</source>
        <translation>地址</translation>
    </message>
    <message>
        <source>Size</source>
        <translation>大小</translation>
    </message>
    <message>
        <source>Alive from #</source>
        <translation>存活自 #</translation>
    </message>
    <message>
        <source>Alive to #</source>
        <translation>存活至 #</translation>
    </message>
    <message>
        <source>Time</source>
        <translation>时间</translation>
    </message>
    <message>
        <source>Power</source>
        <translation>功耗</translation>
    </message>
    <message>
        <source>Die</source>
        <translation>芯片</translation>
    </message>
    <message>
        <source>Package</source>
        <translation>封装</translation>
    </message>
    <message>
        <source>Skin</source>
        <translation>表面</translation>
    </message>
    <message>
        <source>Clock</source>
        <translation>频率</translation>
    </message>
    <message>
        <source>Run</source>
        <translation>次序</translation>
    </message>
    <message>
        <source>Runs</source>
        <translation>运行次数</translation>
    </message>
    <message>
        <source>Of</source>
        <translation>所属</translation>
    </message>
    <message>
        <source>Where</source>
        <translation>位置</translation>
    </message>
    <message>
        <source>Channel</source>
        <translation>通道</translation>
    </message>
    <message>
        <source>Relative L2</source>
        <translation>相对 L2</translation>
    </message>
    <message>
        <source>Range of A</source>
        <translation>A 的范围</translation>
    </message>
    <message>
        <source>Row</source>
        <translation>行</translation>
    </message>
    <message>
        <source>Column</source>
        <translation>列</translation>
    </message>
    <message>
        <source>From</source>
        <translation>自</translation>
    </message>
    <message>
        <source>To</source>
        <translation>至</translation>
    </message>
    <message>
        <source>Count in A</source>
        <translation>A 中数量</translation>
    </message>
    <message>
        <source>Count in B</source>
        <translation>B 中数量</translation>
    </message>
    <message>
        <source>Figure</source>
        <translation>指标</translation>
    </message>
    <message>
        <source>Second value</source>
        <translation>第二个值</translation>
    </message>
    <message>
        <source>yes</source>
        <translation>是</translation>
    </message>
    <message>
        <source>stale</source>
        <translation>待更新</translation>
    </message>
    <message>
        <source>outlier</source>
        <translation>离群值</translation>
    </message>
    <message>
        <source>exact</source>
        <translation>精确值</translation>
    </message>
    <message>
        <source>estimated</source>
        <translation>估计值</translation>
    </message>
    <message>
        <source>launch</source>
        <translation>启动</translation>
    </message>
    <message>
        <source>transfer</source>
        <translation>搬运</translation>
    </message>
    <message>
        <source>compute</source>
        <translation>计算</translation>
    </message>
    <message>
        <source>activation</source>
        <translation>激活</translation>
    </message>
    <message>
        <source>workspace</source>
        <translation>工作区</translation>
    </message>
    <message>
        <source>weights</source>
        <translation>权重</translation>
    </message>
    <message>
        <source>front</source>
        <translation>前沿</translation>
    </message>
    <message>
        <source>proposal</source>
        <translation>候选方案</translation>
    </message>
    <message>
        <source>now</source>
        <translation>当前</translation>
    </message>
    <message>
        <source>cold start</source>
        <translation>冷启动</translation>
    </message>
    <message>
        <source>frame</source>
        <translation>帧</translation>
    </message>
    <message>
        <source>ahead</source>
        <translation>提前完成</translation>
    </message>
    <message>
        <source>waited for</source>
        <translation>需等待</translation>
    </message>
</context>
<context>
    <name>Commands</name>
    <message>
        <source>File</source>
        <translation>文件</translation>
    </message>
    <message>
        <source>Edit</source>
        <translation>编辑</translation>
    </message>
    <message>
        <source>Plan</source>
        <translation>方案</translation>
    </message>
    <message>
        <source>Analyze</source>
        <translation>分析</translation>
    </message>
    <message>
        <source>Device</source>
        <translation>设备</translation>
    </message>
    <message>
        <source>View</source>
        <translation>视图</translation>
    </message>
    <message>
        <source>Help</source>
        <translation>帮助</translation>
    </message>
    <message>
        <source>Open model…</source>
        <translation>打开模型…</translation>
    </message>
    <message>
        <source>Open project…</source>
        <translation>打开项目…</translation>
    </message>
    <message>
        <source>Open sample</source>
        <translation>打开示例</translation>
    </message>
    <message>
        <source>Open recent</source>
        <translation>最近打开</translation>
    </message>
    <message>
        <source>Save project</source>
        <translation>保存项目</translation>
    </message>
    <message>
        <source>Save project as…</source>
        <translation>项目另存为…</translation>
    </message>
    <message>
        <source>Export…</source>
        <translation>导出…</translation>
    </message>
    <message>
        <source>Import precisions…</source>
        <translation>导入精度…</translation>
    </message>
    <message>
        <source>Recover unsaved work…</source>
        <translation>恢复未保存的工作…</translation>
    </message>
    <message>
        <source>Memory limit for models…</source>
        <translation>模型内存上限…</translation>
    </message>
    <message>
        <source>Close model</source>
        <translation>关闭模型</translation>
    </message>
    <message>
        <source>Quit</source>
        <translation>退出</translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>撤销</translation>
    </message>
    <message>
        <source>Redo</source>
        <translation>重做</translation>
    </message>
    <message>
        <source>Select all kernels</source>
        <translation>选择全部算子</translation>
    </message>
    <message>
        <source>Clear selection, filter, then job</source>
        <translation>依次清除选择、筛选，再取消任务</translation>
    </message>
    <message>
        <source>Filter kernels</source>
        <translation>筛选算子</translation>
    </message>
    <message>
        <source>Set selection to INT4</source>
        <translation>所选设为 INT4</translation>
    </message>
    <message>
        <source>Set selection to INT8</source>
        <translation>所选设为 INT8</translation>
    </message>
    <message>
        <source>Set selection to FP16</source>
        <translation>所选设为 FP16</translation>
    </message>
    <message>
        <source>All FP16</source>
        <translation>全部 FP16</translation>
    </message>
    <message>
        <source>All INT8</source>
        <translation>全部 INT8</translation>
    </message>
    <message>
        <source>All INT4</source>
        <translation>全部 INT4</translation>
    </message>
    <message>
        <source>First and last FP16, rest INT8</source>
        <translation>首尾 FP16，其余 INT8</translation>
    </message>
    <message>
        <source>Weight methods of the kernel…</source>
        <translation>该算子的权重量化方法…</translation>
    </message>
    <message>
        <source>Best weight methods for the selection, or all</source>
        <translation>为所选（或全部）算子择优权重方法</translation>
    </message>
    <message>
        <source>Lock or unlock selection</source>
        <translation>锁定或解锁所选</translation>
    </message>
    <message>
        <source>Bulk edit by rule…</source>
        <translation>按规则批量修改…</translation>
    </message>
    <message>
        <source>Show the previous plan while P is held</source>
        <translation>按住 P 显示上一个方案</translation>
    </message>
    <message>
        <source>Budgets…</source>
        <translation>预算…</translation>
    </message>
    <message>
        <source>Data…</source>
        <translation>数据…</translation>
    </message>
    <message>
        <source>Metric of your own…</source>
        <translation>自定义指标…</translation>
    </message>
    <message>
        <source>Start or stop the sensitivity sweep</source>
        <translation>开始或停止敏感度扫描</translation>
    </message>
    <message>
        <source>Measure again what was stopped</source>
        <translation>重新测量已停止的内容</translation>
    </message>
    <message>
        <source>Cancel all jobs</source>
        <translation>取消全部任务</translation>
    </message>
    <message>
        <source>Edge fusion: all that can fuse</source>
        <translation>端侧融合：能融合的都融合</translation>
    </message>
    <message>
        <source>Cloud fusion: conservative</source>
        <translation>云侧融合：保守</translation>
    </message>
    <message>
        <source>Launches and fusion…</source>
        <translation>下发与融合…</translation>
    </message>
    <message>
        <source>Device profile</source>
        <translation>设备档案</translation>
    </message>
    <message>
        <source>Choose a device…</source>
        <translation>选择设备…</translation>
    </message>
    <message>
        <source>Edit a copy of this device…</source>
        <translation>编辑此设备的副本…</translation>
    </message>
    <message>
        <source>Sustained use…</source>
        <translation>持续使用…</translation>
    </message>
    <message>
        <source>Tune layout</source>
        <translation>调优布局</translation>
    </message>
    <message>
        <source>Profile layout</source>
        <translation>性能布局</translation>
    </message>
    <message>
        <source>Sweep layout</source>
        <translation>扫描布局</translation>
    </message>
    <message>
        <source>Compare layout</source>
        <translation>比对布局</translation>
    </message>
    <message>
        <source>Graph layout</source>
        <translation>图布局</translation>
    </message>
    <message>
        <source>Panels</source>
        <translation>面板</translation>
    </message>
    <message>
        <source>Go to the next panel</source>
        <translation>转到下一个面板</translation>
    </message>
    <message>
        <source>Go to the previous panel</source>
        <translation>转到上一个面板</translation>
    </message>
    <message>
        <source>Show the plot in use as a table, or as a plot again</source>
        <translation>把当前图表显示为表格，或恢复为图表</translation>
    </message>
    <message>
        <source>Float or dock the panel in use</source>
        <translation>浮动或停靠当前面板</translation>
    </message>
    <message>
        <source>Show the panel in use alone, or all again</source>
        <translation>仅显示当前面板，或恢复全部</translation>
    </message>
    <message>
        <source>Close the panel in use</source>
        <translation>关闭当前面板</translation>
    </message>
    <message>
        <source>Reset layout</source>
        <translation>重置布局</translation>
    </message>
    <message>
        <source>Light</source>
        <translation>浅色</translation>
    </message>
    <message>
        <source>Dark</source>
        <translation>深色</translation>
    </message>
    <message>
        <source>Follow the system</source>
        <translation>跟随系统</translation>
    </message>
    <message>
        <source>English</source>
        <translation>English（英文）</translation>
    </message>
    <message>
        <source>中文 (Chinese)</source>
        <translation>中文</translation>
    </message>
    <message>
        <source>Search kernels and commands</source>
        <translation>搜索算子与命令</translation>
    </message>
    <message>
        <source>Manual</source>
        <translation>手册</translation>
    </message>
    <message>
        <source>Tour</source>
        <translation>导览</translation>
    </message>
    <message>
        <source>Shortcuts</source>
        <translation>快捷键</translation>
    </message>
    <message>
        <source>About Mixbit</source>
        <translation>关于 Mixbit</translation>
    </message>
    <message>
        <source>Step precision, in the precision column or switch</source>
        <translation>在精度列或精度开关中逐级切换</translation>
    </message>
    <message>
        <source>Move, extend, add, select all in the filter</source>
        <translation>移动、扩展、添加、选择筛选出的全部</translation>
    </message>
    <message>
        <source>Timeline: zoom in, out, left, right</source>
        <translation>时间线：放大、缩小、左移、右移</translation>
    </message>
    <message>
        <source>Plots: fit</source>
        <translation>图表：适合窗口</translation>
    </message>
    <message>
        <source>Timeline: previous, next bar</source>
        <translation>时间线：上一个、下一个条</translation>
    </message>
    <message>
        <source>Hold: show the previous plan</source>
        <translation>按住：显示上一个方案</translation>
    </message>
    <message>
        <source>Compare: next, previous kernel</source>
        <translation>比对：下一个、上一个算子</translation>
    </message>
    <message>
        <source>Compare: first kernel that misses the required SQNR</source>
        <translation>比对：第一个未达到要求 SQNR 的算子</translation>
    </message>
    <message>
        <source>Sensitivity: apply the cell, only select its kernel</source>
        <translation>敏感度：应用该格、仅选择其算子</translation>
    </message>
    <message>
        <source>Plans: rename, delete</source>
        <translation>方案：重命名、删除</translation>
    </message>
    <message>
        <source>Layers</source>
        <translation>层</translation>
    </message>
    <message>
        <source>Summary</source>
        <translation>概览</translation>
    </message>
    <message>
        <source>Kernel</source>
        <translation>算子</translation>
    </message>
    <message>
        <source>Kernel cost</source>
        <translation>算子开销</translation>
    </message>
    <message>
        <source>Error along the network</source>
        <translation>沿网络的误差</translation>
    </message>
    <message>
        <source>Preflight</source>
        <translation>预检</translation>
    </message>
    <message>
        <source>Timeline</source>
        <translation>时间线</translation>
    </message>
    <message>
        <source>Latency per kernel</source>
        <translation>各算子时延</translation>
    </message>
    <message>
        <source>Roofline</source>
        <translation>屋顶线</translation>
    </message>
    <message>
        <source>Utilization</source>
        <translation>利用率</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>内存</translation>
    </message>
    <message>
        <source>Thermal</source>
        <translation>热</translation>
    </message>
    <message>
        <source>Cold start</source>
        <translation>冷启动</translation>
    </message>
    <message>
        <source>Measured</source>
        <translation>实测</translation>
    </message>
    <message>
        <source>Jitter</source>
        <translation>抖动</translation>
    </message>
    <message>
        <source>Sensitivity</source>
        <translation>敏感度</translation>
    </message>
    <message>
        <source>Ranking</source>
        <translation>排序</translation>
    </message>
    <message>
        <source>Pareto</source>
        <translation>帕累托</translation>
    </message>
    <message>
        <source>Search</source>
        <translation>搜索</translation>
    </message>
    <message>
        <source>Tensors</source>
        <translation>张量</translation>
    </message>
    <message>
        <source>Compare</source>
        <translation>比对</translation>
    </message>
    <message>
        <source>Blocks</source>
        <translation>模块</translation>
    </message>
    <message>
        <source>Graph</source>
        <translation>图</translation>
    </message>
    <message>
        <source>Plans</source>
        <translation>方案</translation>
    </message>
    <message>
        <source>History</source>
        <translation>历史记录</translation>
    </message>
    <message>
        <source>Jobs</source>
        <translation>任务</translation>
    </message>
    <message>
        <source>Log</source>
        <translation>日志</translation>
    </message>
</context>
<context>
    <name>CompareBar</name>
    <message>
        <source>Swap A and B</source>
        <translation>交换 A 与 B</translation>
    </message>
    <message>
        <source>Outputs</source>
        <translation>输出</translation>
    </message>
    <message>
        <source>Weights</source>
        <translation>权重</translation>
    </message>
    <message>
        <source>What is compared</source>
        <translation>比对对象</translation>
    </message>
    <message>
        <source>Open dump…</source>
        <translation>打开转储…</translation>
    </message>
    <message>
        <source>Values of another tool or of the device: .npy, .npz, Ascend and MindSpore Lite dumps</source>
        <translation>其他工具或设备上的数值：.npy、.npz、昇腾与 MindSpore Lite 转储</translation>
    </message>
    <message>
        <source>Previous kernel (K)</source>
        <translation>上一个算子 (K)</translation>
    </message>
    <message>
        <source>Next kernel (J)</source>
        <translation>下一个算子 (J)</translation>
    </message>
    <message>
        <source>Previous sample</source>
        <translation>上一个样本</translation>
    </message>
    <message>
        <source>Next sample</source>
        <translation>下一个样本</translation>
    </message>
    <message>
        <source>Sample {number} of {count}</source>
        <translation>样本 {number} / {count}</translation>
    </message>
</context>
<context>
    <name>CompareView</name>
    <message>
        <source>Compare</source>
        <translation>比对</translation>
    </message>
    <message>
        <source>Open a model to compare what its kernels compute.</source>
        <translation>打开模型，比对它的算子的计算结果。</translation>
    </message>
    <message>
        <source>Select a kernel to compare its values.</source>
        <translation>选择一个算子，比对它的数值。</translation>
    </message>
    <message>
        <source>Select the worst kernel</source>
        <translation>选择最差的算子</translation>
    </message>
    <message>
        <source>The values of this kernel are being read.</source>
        <translation>正在读取此算子的数值。</translation>
    </message>
    <message>
        <source>No kernel misses {limit}.</source>
        <translation>没有算子低于 {limit}。</translation>
    </message>
    <message>
        <source>this sample</source>
        <translation>本样本</translation>
    </message>
    <message>
        <source>reading {kernel}…</source>
        <translation>正在读取 {kernel}…</translation>
    </message>
    <message>
        <source>Cosine</source>
        <translation>余弦</translation>
    </message>
    <message>
        <source>Relative L2</source>
        <translation>相对 L2</translation>
    </message>
    <message>
        <source>Max absolute</source>
        <translation>最大绝对误差</translation>
    </message>
    <message>
        <source>Accum. relative</source>
        <translation>累积相对</translation>
    </message>
    <message>
        <source>Relative Euclid</source>
        <translation>相对欧氏</translation>
    </message>
    <message>
        <source>KL divergence</source>
        <translation>KL 散度</translation>
    </message>
    <message>
        <source>Std deviation</source>
        <translation>标准差</translation>
    </message>
    <message>
        <source>Mean absolute</source>
        <translation>平均绝对</translation>
    </message>
    <message>
        <source>Max relative</source>
        <translation>最大相对</translation>
    </message>
    <message>
        <source>Mean relative</source>
        <translation>平均相对</translation>
    </message>
    <message>
        <source>Saturated</source>
        <translation>饱和</translation>
    </message>
    <message>
        <source>NaN or Inf</source>
        <translation>NaN 或 Inf</translation>
    </message>
    <message>
        <source>min</source>
        <translation>最小</translation>
    </message>
    <message>
        <source>max</source>
        <translation>最大</translation>
    </message>
    <message>
        <source>mean</source>
        <translation>均值</translation>
    </message>
    <message>
        <source>std</source>
        <translation>标准差</translation>
    </message>
    <message>
        <source>zero</source>
        <translation>零值</translation>
    </message>
    <message>
        <source>dead channels</source>
        <translation>失活通道</translation>
    </message>
    <message>
        <source>Copy and export</source>
        <translation>复制与导出</translation>
    </message>
    <message>
        <source>Difference map</source>
        <translation>差异图</translation>
    </message>
    <message>
        <source>Channels</source>
        <translation>通道</translation>
    </message>
    <message>
        <source>Histogram</source>
        <translation>直方图</translation>
    </message>
    <message>
        <source>Scatter</source>
        <translation>散点图</translation>
    </message>
    <message>
        <source>Statistics</source>
        <translation>统计</translation>
    </message>
    <message>
        <source>Previous channel (←)</source>
        <translation>上一个通道 (←)</translation>
    </message>
    <message>
        <source>Next channel (→)</source>
        <translation>下一个通道 (→)</translation>
    </message>
    <message>
        <source>Error of B against A</source>
        <translation>B 相对 A 的误差</translation>
    </message>
    <message>
        <source>limit</source>
        <translation>界限</translation>
    </message>
    <message>
        <source>Values</source>
        <translation>数值</translation>
    </message>
    <message>
        <source>Worst channels</source>
        <translation>最差通道</translation>
    </message>
    <message>
        <source>relative L2</source>
        <translation>相对 L2</translation>
    </message>
    <message>
        <source>range</source>
        <translation>范围</translation>
    </message>
    <message>
        <source>Worst elements</source>
        <translation>误差最大的元素</translation>
    </message>
    <message>
        <source>A → B</source>
        <translation>A → B</translation>
    </message>
    <message>
        <source>How the values are shown</source>
        <translation>数值的显示方式</translation>
    </message>
    <message>
        <source>Log</source>
        <translation>对数</translation>
    </message>
    <message>
        <source>Linear</source>
        <translation>线性</translation>
    </message>
    <message>
        <source>Figures of Mixbit, or the ten of Ascend's comparison tool (msaccucmp)</source>
        <translation>Mixbit 的指标，或昇腾比对工具（msaccucmp）的十项指标</translation>
    </message>
    <message>
        <source>Figures</source>
        <translation>指标</translation>
    </message>
    <message>
        <source>Scale of the counts</source>
        <translation>计数的刻度</translation>
    </message>
    <message>
        <source>Relative error by channel, L2</source>
        <translation>各通道相对误差，L2</translation>
    </message>
    <message numerus="yes">
        <source>%n dead in B</source>
        <translation>
            <numerusform>B 中 %n 个失活</numerusform>
        </translation>
    </message>
    <message>
        <source>channel {number} (of 0–{last})</source>
        <translation>通道 {number}（0–{last}）</translation>
    </message>
    <message>
        <source>rows × channels, {where}</source>
        <translation>行 × 通道，{where}</translation>
    </message>
    <message>
        <source>channel {number}</source>
        <translation>通道 {number}</translation>
    </message>
    <message>
        <source>all channels</source>
        <translation>全部通道</translation>
    </message>
    <message numerus="yes">
        <source>%n distinct value(s) in B</source>
        <translation>
            <numerusform>B 中有 %n 个不同的值</numerusform>
        </translation>
    </message>
    <message>
        <source>Count by value, log</source>
        <translation>各值计数，对数</translation>
    </message>
    <message>
        <source>Count by value</source>
        <translation>按数值计数</translation>
    </message>
    <message>
        <source>Values by position, {channel}</source>
        <translation>按位置的数值，{channel}</translation>
    </message>
    <message numerus="yes">
        <source>%n value(s)</source>
        <translation>
            <numerusform>%n 个值</numerusform>
        </translation>
    </message>
    <message>
        <source>{share} saturate</source>
        <translation>{share} 饱和</translation>
    </message>
    <message>
        <source>B by A, {channel}</source>
        <translation>B 对 A，{channel}</translation>
    </message>
    <message>
        <source>B − A difference</source>
        <translation>B − A 差异</translation>
    </message>
    <message>
        <source>(B − A) / |A| relative</source>
        <translation>(B − A) / |A| 相对差</translation>
    </message>
    <message>
        <source>scale of each group</source>
        <translation>每组的缩放因子</translation>
    </message>
    <message>
        <source>Map of A</source>
        <translation>A 的图</translation>
    </message>
    <message>
        <source>Map of B</source>
        <translation>B 的图</translation>
    </message>
    <message>
        <source>Map of the difference</source>
        <translation>差异图</translation>
    </message>
    <message>
        <source>pixel</source>
        <translation>像素</translation>
    </message>
    <message>
        <source>difference</source>
        <translation>差异</translation>
    </message>
    <message>
        <source>Scales</source>
        <translation>缩放因子</translation>
    </message>
    <message>
        <source>Relative</source>
        <translation>相对</translation>
    </message>
    <message>
        <source>Difference</source>
        <translation>差异</translation>
    </message>
    <message>
        <source>Lines</source>
        <translation>曲线</translation>
    </message>
    <message>
        <source>Reference</source>
        <translation>参考</translation>
    </message>
    <message>
        <source>ONNX Runtime, FP32</source>
        <translation>ONNX Runtime，FP32</translation>
    </message>
    <message>
        <source>dump, {matched} of {count} tensors matched</source>
        <translation>转储，{count} 个张量中匹配 {matched} 个</translation>
    </message>
    <message>
        <source>Emulated integer kernels</source>
        <translation>仿真整数算子</translation>
    </message>
    <message>
        <source>As the device runs it</source>
        <translation>按设备的方式运行</translation>
    </message>
    <message>
        <source>Kept plan {name}</source>
        <translation>保留的方案 {name}</translation>
    </message>
    <message>
        <source>Plan {name}</source>
        <translation>方案 {name}</translation>
    </message>
    <message>
        <source>Plan</source>
        <translation>方案</translation>
    </message>
    <message>
        <source>preview</source>
        <translation>预览</translation>
    </message>
    <message>
        <source>the device's own kernel, this kernel {scheme}</source>
        <translation>设备自己的算子，本算子 {scheme}</translation>
    </message>
    <message>
        <source>preview, this kernel {scheme}</source>
        <translation>预览，此算子 {scheme}</translation>
    </message>
    <message>
        <source>looked up in the packed table, this kernel {scheme}</source>
        <translation>在打包的表中查找，此算子为 {scheme}</translation>
    </message>
    <message>
        <source>rounded weights, float sums, this kernel {scheme}</source>
        <translation>舍入后的权重、浮点累加，此算子为 {scheme}</translation>
    </message>
    <message>
        <source>packed weights, float sums, this kernel {scheme}</source>
        <translation>打包权重、浮点累加，此算子为 {scheme}</translation>
    </message>
    <message>
        <source>packed weights, int64 sums, this kernel {scheme}</source>
        <translation>打包权重、int64 累加，此算子为 {scheme}</translation>
    </message>
    <message>
        <source>packed weights, int32 sums, this kernel {scheme}</source>
        <translation>打包权重、int32 累加，此算子为 {scheme}</translation>
    </message>
    <message>
        <source>by kernel</source>
        <translation>按算子</translation>
    </message>
    <message>
        <source>by hand</source>
        <translation>手动</translation>
    </message>
    <message>
        <source>by name</source>
        <translation>按名称</translation>
    </message>
    <message>
        <source>by name, other characters</source>
        <translation>按名称（字符不同）</translation>
    </message>
    <message>
        <source>by fusion table</source>
        <translation>按融合表</translation>
    </message>
    <message>
        <source>by fused names</source>
        <translation>按融合后的名称</translation>
    </message>
    <message>
        <source>by part of the name</source>
        <translation>按部分名称</translation>
    </message>
    <message>
        <source>unmatched</source>
        <translation>未匹配</translation>
    </message>
    <message numerus="yes">
        <source>%n kernel(s) without a tensor</source>
        <translation>
            <numerusform>%n 个算子没有张量</numerusform>
        </translation>
    </message>
    <message>
        <source>{matched} matched</source>
        <translation>已匹配 {matched}</translation>
    </message>
    <message>
        <source>{count} unmatched</source>
        <translation>未匹配 {count}</translation>
    </message>
    <message>
        <source>Names of {dump}…</source>
        <translation>{dump} 的名称…</translation>
    </message>
    <message>
        <source>Fusion table for {dump}…</source>
        <translation>{dump} 的融合表…</translation>
    </message>
    <message>
        <source>Close {dump}</source>
        <translation>关闭 {dump}</translation>
    </message>
    <message>
        <source>Open a dump folder…</source>
        <translation>打开转储文件夹…</translation>
    </message>
    <message>
        <source>Open a dump file…</source>
        <translation>打开转储文件…</translation>
    </message>
    <message>
        <source>Open a dump folder</source>
        <translation>打开转储文件夹</translation>
    </message>
    <message>
        <source>Open a dump file</source>
        <translation>打开转储文件</translation>
    </message>
    <message>
        <source>Open the compiler's fusion table</source>
        <translation>打开编译器的融合表</translation>
    </message>
    <message>
        <source>Tables (*.csv);;All files (*)</source>
        <translation>表格 (*.csv);;所有文件 (*)</translation>
    </message>
</context>
<context>
    <name>ConflictDialog</name>
    <message>
        <source>Changed elsewhere</source>
        <translation>已在别处修改</translation>
    </message>
    <message>
        <source>Another window has saved this project.</source>
        <translation>另一个窗口已保存此项目。</translation>
    </message>
    <message>
        <source>Overwrite</source>
        <translation>覆盖</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Save as…</source>
        <translation>另存为…</translation>
    </message>
</context>
<context>
    <name>ContextBar</name>
    <message numerus="yes">
        <source>%n kernel(s)</source>
        <translation>
            <numerusform>%n 个算子</numerusform>
        </translation>
    </message>
    <message>
        <source>Model</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>Device</source>
        <translation>设备</translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>撤销</translation>
    </message>
    <message>
        <source>Redo</source>
        <translation>重做</translation>
    </message>
    <message>
        <source>Export…</source>
        <translation>导出…</translation>
    </message>
    <message>
        <source>Data</source>
        <translation>数据</translation>
    </message>
    <message>
        <source>Calibrating…</source>
        <translation>校准中…</translation>
    </message>
    <message>
        <source>Synthetic</source>
        <translation>合成数据</translation>
    </message>
    <message>
        <source>errors indicative only</source>
        <translation>误差仅供参考</translation>
    </message>
    <message>
        <source>{calibration} calibration · {evaluation} evaluation</source>
        <translation>校准 {calibration} · 评估 {evaluation}</translation>
    </message>
    <message numerus="yes">
        <source>%n warning(s)</source>
        <translation>
            <numerusform>%n 条警告</numerusform>
        </translation>
    </message>
    <message>
        <source>Own plan</source>
        <translation>自定方案</translation>
    </message>
    <message numerus="yes">
        <source>%n kernel(s) differ from before</source>
        <translation>
            <numerusform>%n 个算子与之前不同</numerusform>
        </translation>
    </message>
    <message>
        <source>Plan</source>
        <translation>方案</translation>
    </message>
</context>
<context>
    <name>CostView</name>
    <message>
        <source>Kernel cost</source>
        <translation>算子开销</translation>
    </message>
    <message>
        <source>Copy and export</source>
        <translation>复制与导出</translation>
    </message>
    <message>
        <source>What would lift it</source>
        <translation>怎样可以更快</translation>
    </message>
    <message>
        <source>#{index}, {latency}, bound by {bound}</source>
        <translation>#{index}，{latency}，瓶颈为 {bound}</translation>
    </message>
    <message>
        <source>Open a model to see what its kernels cost and why.</source>
        <translation>打开模型以查看各算子的开销及原因。</translation>
    </message>
    <message>
        <source>The device is being simulated.</source>
        <translation>正在仿真设备。</translation>
    </message>
    <message>
        <source>Open a model…</source>
        <translation>打开模型…</translation>
    </message>
</context>
<context>
    <name>DataDialog</name>
    <message>
        <source>Data</source>
        <translation>数据</translation>
    </message>
    <message>
        <source>Samples that the model is calibrated and evaluated with</source>
        <translation>用于校准与评估模型的样本</translation>
    </message>
    <message>
        <source>Calibration finds the ranges of activations, evaluation measures errors; use different samples for the two. Without data Mixbit takes seeded noise, and errors are indicative only.</source>
        <translation>校准确定激活的范围，评估测量误差；两者应使用不同的样本。没有数据时 Mixbit 使用固定种子的噪声，误差仅供参考。</translation>
    </message>
    <message>
        <source>Automatic: as many as steady ranges need.</source>
        <translation>自动：取足以使范围稳定的样本数。</translation>
    </message>
    <message>
        <source>Automatic: as many as keep a toggle of a precision quick.</source>
        <translation>自动：取能使精度切换保持快速的样本数。</translation>
    </message>
    <message>
        <source>Calibration</source>
        <translation>校准</translation>
    </message>
    <message>
        <source>Evaluation</source>
        <translation>评估</translation>
    </message>
    <message>
        <source>Copies how files are read from this page to the other one</source>
        <translation>把本页的读取方式复制到另一页</translation>
    </message>
    <message>
        <source>Observer</source>
        <translation>观察器</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Apply</source>
        <translation>应用</translation>
    </message>
    <message>
        <source>min-max</source>
        <translation>最小-最大</translation>
    </message>
    <message>
        <source>From the least to the greatest value of all samples.</source>
        <translation>取所有样本的最小值到最大值。</translation>
    </message>
    <message>
        <source>percentile 99.99</source>
        <translation>百分位 99.99</translation>
    </message>
    <message>
        <source>Leaves out 0.005 % of the values at each end.</source>
        <translation>两端各舍去 0.005 % 的值。</translation>
    </message>
    <message>
        <source>moving average</source>
        <translation>滑动平均</translation>
    </message>
    <message>
        <source>Averages the extremes of the samples.</source>
        <translation>对各样本的极值取平均。</translation>
    </message>
    <message>
        <source>entropy (KL)</source>
        <translation>熵（KL 散度）</translation>
    </message>
    <message>
        <source>Clips where the histogram loses least information.</source>
        <translation>在直方图信息损失最小处截断。</translation>
    </message>
    <message>
        <source>least squared error</source>
        <translation>最小均方误差</translation>
    </message>
    <message>
        <source>Balances clipping against rounding to 8 bits.</source>
        <translation>在截断误差与 8 位舍入误差之间取平衡。</translation>
    </message>
    <message numerus="yes">
        <source>Samples in use · %n warning(s)</source>
        <translation>
            <numerusform>使用中的样本 · %n 条警告</numerusform>
        </translation>
    </message>
    <message>
        <source>Samples in use</source>
        <translation>使用中的样本</translation>
    </message>
    <message>
        <source>Read evaluation files like these</source>
        <translation>评估文件也这样读取</translation>
    </message>
    <message>
        <source>Read calibration files like these</source>
        <translation>校准文件也这样读取</translation>
    </message>
    <message>
        <source>Looking at the files…</source>
        <translation>正在查看文件…</translation>
    </message>
</context>
<context>
    <name>DeviceDialog</name>
    <message>
        <source>Device</source>
        <translation>设备</translation>
    </message>
    <message>
        <source>Simulated device</source>
        <translation>仿真设备</translation>
    </message>
    <message>
        <source>Latency, memory, energy and heat are simulated for this device; they carry its error band.</source>
        <translation>时延、内存、能耗与发热按此设备仿真，并带有它的误差带。</translation>
    </message>
    <message>
        <source>Device profiles</source>
        <translation>设备档案</translation>
    </message>
    <message>
        <source>Edit a copy…</source>
        <translation>编辑副本…</translation>
    </message>
    <message>
        <source>From a file…</source>
        <translation>从文件…</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Use</source>
        <translation>使用</translation>
    </message>
    <message>
        <source>Device profiles (*.json)</source>
        <translation>设备档案 (*.json)</translation>
    </message>
    <message>
        <source>Device profile</source>
        <translation>设备档案</translation>
    </message>
</context>
<context>
    <name>DeviceEditor</name>
    <message>
        <source>Device editor</source>
        <translation>设备编辑器</translation>
    </message>
    <message>
        <source>A profile of your own, from {device}</source>
        <translation>基于 {device} 的自定义配置</translation>
    </message>
    <message>
        <source>Bold values are edited. The profile in use stays as it is until this one is saved and accepted.</source>
        <translation>粗体值已修改。保存并被接受之前，正在使用的配置保持不变。</translation>
    </message>
    <message>
        <source>{title}, copy</source>
        <translation>{title}（副本）</translation>
    </message>
    <message>
        <source>Filter fields</source>
        <translation>筛选字段</translation>
    </message>
    <message>
        <source>edited only</source>
        <translation>仅已修改</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>名称</translation>
    </message>
    <message>
        <source>Title</source>
        <translation>标题</translation>
    </message>
    <message>
        <source>Reset all</source>
        <translation>全部还原</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Save and use</source>
        <translation>保存并使用</translation>
    </message>
    <message>
        <source>Values of the profile</source>
        <translation>配置的各项值</translation>
    </message>
    <message>
        <source>Save the profile</source>
        <translation>保存配置</translation>
    </message>
    <message>
        <source>Device profiles (*.json)</source>
        <translation>设备配置 (*.json)</translation>
    </message>
    <message>
        <source>vendor</source>
        <translation>厂商</translation>
    </message>
    <message>
        <source>measured</source>
        <translation>实测</translation>
    </message>
    <message>
        <source>fitted</source>
        <translation>拟合</translation>
    </message>
    <message>
        <source>assumed</source>
        <translation>假定</translation>
    </message>
    <message>
        <source>Field</source>
        <translation>字段</translation>
    </message>
    <message>
        <source>Value</source>
        <translation>值</translation>
    </message>
    <message>
        <source>Unit</source>
        <translation>单位</translation>
    </message>
    <message>
        <source>Origin</source>
        <translation>来源</translation>
    </message>
    <message>
        <source>Allowed</source>
        <translation>允许范围</translation>
    </message>
    <message>
        <source>Meaning</source>
        <translation>含义</translation>
    </message>
    <message>
        <source>was {value}, {origin}</source>
        <translation>原值 {value}，{origin}</translation>
    </message>
</context>
<context>
    <name>DifferencesView</name>
    <message>
        <source>Differences of A and B</source>
        <translation>A 与 B 的差异</translation>
    </message>
    <message>
        <source>Layer</source>
        <translation>层</translation>
    </message>
    <message>
        <source>accumulated</source>
        <translation>累积误差</translation>
    </message>
    <message>
        <source>latency</source>
        <translation>时延</translation>
    </message>
    <message>
        <source>size</source>
        <translation>大小</translation>
    </message>
    <message>
        <source>Choose a kept plan as B to see what differs.</source>
        <translation>选择一个已保留的方案作为 B，即可查看差异。</translation>
    </message>
    <message>
        <source>Both plans give every kernel the same precision.</source>
        <translation>两个方案中每个算子的精度都相同。</translation>
    </message>
</context>
<context>
    <name>DimensionsDialog</name>
    <message>
        <source>Free dimensions</source>
        <translation>自由维度</translation>
    </message>
    <message>
        <source>Choose the sizes that the model leaves open</source>
        <translation>选择模型未定的尺寸</translation>
    </message>
    <message>
        <source>An NPU runs fixed shapes. Latency, memory and errors will be those of the sizes chosen here.</source>
        <translation>NPU 运行固定形状。时延、内存和误差对应此处选择的尺寸。</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Open</source>
        <translation>打开</translation>
    </message>
    <message>
        <source>The model does not run at these sizes</source>
        <translation>模型在该尺寸下无法运行</translation>
    </message>
    <message>
        <source>It was tried at the usual sizes, and runs at those that stand here now.</source>
        <translation>已按常用尺寸试运行，下面是可以运行的尺寸。</translation>
    </message>
    <message>
        <source>Look up which sizes it was made for: none of the usual ones runs.</source>
        <translation>常用尺寸均无法运行，请查明该模型所要求的尺寸。</translation>
    </message>
    <message>
        <source>axis {number}</source>
        <translation>第 {number} 轴</translation>
    </message>
</context>
<context>
    <name>DockTitle</name>
    <message>
        <source>Panel menu</source>
        <translation>面板菜单</translation>
    </message>
    <message>
        <source>More panels on this place</source>
        <translation>此处的更多面板</translation>
    </message>
    <message>
        <source>Show this panel alone, or all again</source>
        <translation>仅显示此面板，或恢复全部</translation>
    </message>
    <message>
        <source>Dock</source>
        <translation>停靠</translation>
    </message>
    <message>
        <source>Float</source>
        <translation>浮动</translation>
    </message>
    <message>
        <source>What is this? (F1)</source>
        <translation>这是什么？(F1)</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>Reset layout</source>
        <translation>重置布局</translation>
    </message>
</context>
<context>
    <name>DropTarget</name>
    <message>
        <source>Opening {name}</source>
        <translation>正在打开 {name}</translation>
    </message>
    <message>
        <source>The engine is starting…</source>
        <translation>引擎启动中…</translation>
    </message>
</context>
<context>
    <name>DumpNames</name>
    <message>
        <source>{kernel}, weight</source>
        <translation>{kernel}，权重</translation>
    </message>
    <message>
        <source>Names of {dump}</source>
        <translation>{dump} 的名称</translation>
    </message>
    <message>
        <source>Shape</source>
        <translation>形状</translation>
    </message>
    <message>
        <source>kernel of Mixbit</source>
        <translation>Mixbit 的算子</translation>
    </message>
    <message>
        <source>by hand</source>
        <translation>手动</translation>
    </message>
    <message>
        <source>same name</source>
        <translation>名称相同</translation>
    </message>
    <message>
        <source>other characters</source>
        <translation>字符不同</translation>
    </message>
    <message>
        <source>fusion table</source>
        <translation>融合表</translation>
    </message>
    <message>
        <source>fused names</source>
        <translation>融合后的名称</translation>
    </message>
    <message>
        <source>part of the name</source>
        <translation>部分名称</translation>
    </message>
    <message>
        <source>Name in the file</source>
        <translation>文件中的名称</translation>
    </message>
    <message>
        <source>Kernel</source>
        <translation>算子</translation>
    </message>
    <message>
        <source>Matched by</source>
        <translation>匹配方式</translation>
    </message>
    <message>
        <source>Remark</source>
        <translation>说明</translation>
    </message>
    <message>
        <source>Unmatched names come first. Choose what a name is, if it was taken wrongly.</source>
        <translation>未匹配的名称排在最前。若有误配，请选择该名称的含义。</translation>
    </message>
    <message>
        <source>no kernel</source>
        <translation>无算子</translation>
    </message>
    <message>
        <source>The selected name is</source>
        <translation>所选名称是</translation>
    </message>
    <message>
        <source>Set</source>
        <translation>集合</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>There is no kernel {name}.</source>
        <translation>没有算子 {name}。</translation>
    </message>
</context>
<context>
    <name>DumpsDialog</name>
    <message>
        <source>Compare two dumps</source>
        <translation>比对两个转储</translation>
    </message>
    <message>
        <source>Two runs of the same model, layer by layer</source>
        <translation>逐层比对同一模型的两次运行</translation>
    </message>
    <message>
        <source>Folders as Mixbit, Ascend or MindSpore Lite write them, or single files: .npz, .npy, .pb, .bin.</source>
        <translation>Mixbit、Ascend 或 MindSpore Lite 写出的文件夹，或单个文件：.npz、.npy、.pb、.bin。</translation>
    </message>
    <message>
        <source>First dump (A)</source>
        <translation>第一个转储（A）</translation>
    </message>
    <message>
        <source>Second dump (B)</source>
        <translation>第二个转储（B）</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Compare</source>
        <translation>比对</translation>
    </message>
    <message>
        <source>Folder…</source>
        <translation>文件夹…</translation>
    </message>
    <message>
        <source>File…</source>
        <translation>文件…</translation>
    </message>
    <message>
        <source>Folder or file</source>
        <translation>文件夹或文件</translation>
    </message>
    <message>
        <source>Choose a folder or file.</source>
        <translation>请选择文件夹或文件。</translation>
    </message>
    <message>
        <source>{path} does not exist.</source>
        <translation>{path} 不存在。</translation>
    </message>
</context>
<context>
    <name>ErrorDialog</name>
    <message>
        <source>That did not work</source>
        <translation>操作未成功</translation>
    </message>
    <message>
        <source>Details</source>
        <translation>详情</translation>
    </message>
    <message>
        <source>Show folder</source>
        <translation>打开文件夹</translation>
    </message>
    <message>
        <source>Copy details</source>
        <translation>复制详情</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
</context>
<context>
    <name>ErrorProfileView</name>
    <message>
        <source>Error along the network</source>
        <translation>沿网络的误差</translation>
    </message>
    <message>
        <source>Open a model to see where accuracy is lost.</source>
        <translation>打开模型，查看误差产生在哪里。</translation>
    </message>
    <message>
        <source>The errors of this plan are being computed.</source>
        <translation>正在计算此方案的误差。</translation>
    </message>
    <message>
        <source>required {value}</source>
        <translation>要求 {value}</translation>
    </message>
    <message>
        <source>being recomputed</source>
        <translation>重新计算中</translation>
    </message>
    <message>
        <source>accumulated</source>
        <translation>累积</translation>
    </message>
    <message>
        <source>previous plan</source>
        <translation>上一个方案</translation>
    </message>
    <message>
        <source>local</source>
        <translation>局部</translation>
    </message>
    <message>
        <source>Show the whole network</source>
        <translation>显示整个网络</translation>
    </message>
    <message>
        <source>accumulated, {plan}</source>
        <translation>累积 {plan}</translation>
    </message>
    <message>
        <source>local {scheme}</source>
        <translation>局部 {scheme}</translation>
    </message>
    <message>
        <source>SQNR, dB by kernel</source>
        <translation>各算子 SQNR，dB</translation>
    </message>
    <message>
        <source>SQNR, dB by kernel · synthetic input, indicative only</source>
        <translation>各算子 SQNR，dB · 合成输入，仅供参考</translation>
    </message>
    <message>
        <source>SQNR, dB · indicative only</source>
        <translation>SQNR，dB · 仅供参考</translation>
    </message>
</context>
<context>
    <name>ExportDialog</name>
    <message>
        <source>Export</source>
        <translation>导出</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Browse…</source>
        <translation>浏览…</translation>
    </message>
    <message>
        <source>Folder</source>
        <translation>文件夹</translation>
    </message>
    <message>
        <source>File</source>
        <translation>文件</translation>
    </message>
    <message>
        <source>Folder to write</source>
        <translation>要写入的文件夹</translation>
    </message>
    <message>
        <source>File to write</source>
        <translation>要写入的文件</translation>
    </message>
    <message>
        <source>Export {target}</source>
        <translation>导出 {target}</translation>
    </message>
    <message>
        <source>Where to put the folder {name}</source>
        <translation>文件夹 {name} 的存放位置</translation>
    </message>
    <message>
        <source>Choose a folder to write.</source>
        <translation>请选择要写入的文件夹。</translation>
    </message>
    <message>
        <source>Choose a file to write.</source>
        <translation>请选择要写入的文件。</translation>
    </message>
    <message>
        <source>{name} is the opened model and is never written; choose another name.</source>
        <translation>{name} 是已打开的模型，绝不会被写入；请换一个名称。</translation>
    </message>
    <message>
        <source>{name} is a folder; write the name of a file.</source>
        <translation>{name} 是文件夹；请填写文件名。</translation>
    </message>
    <message>
        <source>{name} is a file; write the name of a folder.</source>
        <translation>{name} 是文件；请填写文件夹名。</translation>
    </message>
    <message>
        <source>Exporting…</source>
        <translation>正在导出…</translation>
    </message>
</context>
<context>
    <name>ExportOptions</name>
    <message>
        <source>module path</source>
        <translation>模块路径</translation>
    </message>
    <message>
        <source>ONNX node</source>
        <translation>ONNX 节点</translation>
    </message>
    <message>
        <source>by weight</source>
        <translation>按权重</translation>
    </message>
    <message>
        <source>by ONNX node</source>
        <translation>按 ONNX 节点</translation>
    </message>
    <message>
        <source>as the plan asks</source>
        <translation>按方案要求</translation>
    </message>
    <message>
        <source>weights, 4 bits</source>
        <translation>权重，4 比特</translation>
    </message>
    <message>
        <source>weights, 8 bits</source>
        <translation>权重，8 比特</translation>
    </message>
    <message>
        <source>weights and activations, 8 bits</source>
        <translation>权重与激活，8 比特</translation>
    </message>
    <message>
        <source>weight bits</source>
        <translation>权重位宽</translation>
    </message>
    <message>
        <source>latency, µs</source>
        <translation>时延，µs</translation>
    </message>
    <message>
        <source>accumulated SQNR, dB</source>
        <translation>累积 SQNR，dB</translation>
    </message>
    <message>
        <source>local SQNR, dB</source>
        <translation>局部 SQNR，dB</translation>
    </message>
    <message>
        <source>sensitivity, dB</source>
        <translation>敏感度，dB</translation>
    </message>
    <message>
        <source>size of weights, bytes</source>
        <translation>权重大小，字节</translation>
    </message>
</context>
<context>
    <name>Exporter</name>
    <message>
        <source>Show the plot</source>
        <translation>显示图表</translation>
    </message>
    <message>
        <source>Show as a table</source>
        <translation>显示为表格</translation>
    </message>
    <message>
        <source>Copy data</source>
        <translation>复制数据</translation>
    </message>
    <message>
        <source>Copy picture</source>
        <translation>复制图片</translation>
    </message>
    <message>
        <source>Export {kind}…</source>
        <translation>导出 {kind}…</translation>
    </message>
    <message>
        <source>Export {title}</source>
        <translation>导出 {title}</translation>
    </message>
</context>
<context>
    <name>FilterBar</name>
    <message>
        <source>SQNR &lt; {0}</source>
        <translation>SQNR &lt; {0}</translation>
    </message>
    <message>
        <source>Filter</source>
        <translation>筛选</translation>
    </message>
    <message>
        <source>Words must all be found in name, op, precision, bound or note.
Rules: latency&gt;20, sqnr&lt;22, local&lt;30, weights&gt;100, macs&gt;1000000,
is:changed, is:locked, is:cpu, is:unsupported, is:slower, is:tunable, is:noted</source>
        <translation>所有词都须出现在名称、类型、精度、瓶颈或备注中。
规则：latency&gt;20、sqnr&lt;22、local&lt;30、weights&gt;100、macs&gt;1000000、
is:changed、is:locked、is:cpu、is:unsupported、is:slower、is:tunable、is:noted</translation>
    </message>
    <message>
        <source>Bulk edit…</source>
        <translation>批量修改…</translation>
    </message>
    <message>
        <source>Filter by name, op, precision or rule</source>
        <translation>按名称、类型、精度或规则筛选</translation>
    </message>
    <message>
        <source>Filter by name, op or rule</source>
        <translation>按名称、类型或规则筛选</translation>
    </message>
    <message>
        <source>Name, op or rule</source>
        <translation>名称、类型或规则</translation>
    </message>
    <message>
        <source>all ops</source>
        <translation>全部类型</translation>
    </message>
    <message numerus="yes">
        <source>%n kind(s)</source>
        <translation>
            <numerusform>%n 个类别</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>FirstSteps</name>
    <message>
        <source>Next: click a precision in Layers, or press 4, 8 or 6 on a row. Then read Summary, then export.</source>
        <translation>接下来：在“层”中点击精度，或在某一行按 4、8、6；再看“概览”，然后导出。</translation>
    </message>
    <message>
        <source>Tour</source>
        <translation>导览</translation>
    </message>
    <message>
        <source>Don't show this again</source>
        <translation>不再显示</translation>
    </message>
</context>
<context>
    <name>FitDialog</name>
    <message numerus="yes">
        <source>Device fitted to %n measured kernel(s)</source>
        <translation>
            <numerusform>已按 %n 个实测算子拟合设备</numerusform>
        </translation>
    </message>
    <message>
        <source>Median error per kernel: {before} before, {after} now, {held} on kernels that the fit has not seen. The new error band is ±{band}.</source>
        <translation>每个算子误差的中位数：原为 {before}，现为 {after}，未参与拟合的算子为 {held}。新的误差带为 ±{band}。</translation>
    </message>
    <message>
        <source>Constant</source>
        <translation>常数</translation>
    </message>
    <message>
        <source>Before</source>
        <translation>原值</translation>
    </message>
    <message>
        <source>Fitted</source>
        <translation>拟合值</translation>
    </message>
    <message>
        <source>Uncertainty</source>
        <translation>不确定度</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>Save and use…</source>
        <translation>保存并使用…</translation>
    </message>
    <message>
        <source>Save the fitted device profile</source>
        <translation>保存拟合后的设备档案</translation>
    </message>
</context>
<context>
    <name>FixBox</name>
    <message>
        <source>Cheapest fix</source>
        <translation>代价最小的修正</translation>
    </message>
    <message>
        <source>Apply</source>
        <translation>应用</translation>
    </message>
    <message numerus="yes">
        <source>%n kernel(s)</source>
        <translation>
            <numerusform>%n 个算子</numerusform>
        </translation>
    </message>
    <message>
        <source>≈{gain}, being measured</source>
        <translation>≈{gain}，正在测量</translation>
    </message>
    <message>
        <source>The gain was measured with this plan; latency and size are simulated.</source>
        <translation>增益是用此方案实测的；时延和大小为仿真值。</translation>
    </message>
    <message>
        <source>The gain is an estimate: errors hide and feed each other. It is being measured; latency and size are simulated.</source>
        <translation>增益为估计值：各处误差会互相掩盖或放大。正在实测；时延和大小为仿真值。</translation>
    </message>
</context>
<context>
    <name>ForeignPlanDialog</name>
    <message>
        <source>A plan for another model</source>
        <translation>另一个模型的方案</translation>
    </message>
    <message>
        <source>Take what fits by the names of kernels and weights?</source>
        <translation>按算子和权重的名称应用能对上的部分？</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Apply by names</source>
        <translation>按名称应用</translation>
    </message>
</context>
<context>
    <name>FusionDialog</name>
    <message>
        <source>Launches and fusion</source>
        <translation>下发与融合</translation>
    </message>
    <message>
        <source>Pattern</source>
        <translation>模式</translation>
    </message>
    <message>
        <source>Kernel</source>
        <translation>算子</translation>
    </message>
    <message>
        <source>Stayed apart</source>
        <translation>未融合的算子</translation>
    </message>
    <message>
        <source>Why</source>
        <translation>原因</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>Simulating both rule sets…</source>
        <translation>正在仿真两套规则…</translation>
    </message>
    <message>
        <source>What fusion saves on {device}</source>
        <translation>在 {device} 上融合所节省的开销</translation>
    </message>
    <message>
        <source>Launches take {share} of the latency of this model. Fusion saves {saved} of {all} launches, {time} in each run.</source>
        <translation>算子下发占该模型时延的 {share}。融合省去了 {all} 次下发中的 {saved} 次，每次推理节省 {time}。</translation>
    </message>
    <message>
        <source>Rules</source>
        <translation>规则</translation>
    </message>
    <message>
        <source>Launches</source>
        <translation>下发次数</translation>
    </message>
    <message>
        <source>Saved</source>
        <translation>节省</translation>
    </message>
    <message>
        <source>Time for launches</source>
        <translation>下发耗时</translation>
    </message>
    <message>
        <source>Latency</source>
        <translation>时延</translation>
    </message>
    <message>
        <source>Share</source>
        <translation>占比</translation>
    </message>
    <message>
        <source>Node by node</source>
        <translation>逐节点</translation>
    </message>
    <message>
        <source>Cloud: conservative</source>
        <translation>云侧：保守</translation>
    </message>
    <message>
        <source>Edge: all that can fuse</source>
        <translation>端侧：尽可能融合</translation>
    </message>
    <message>
        <source>In use</source>
        <translation>使用中</translation>
    </message>
    <message>
        <source>Use</source>
        <translation>使用</translation>
    </message>
    <message numerus="yes">
        <source>%n pattern(s) did not fuse</source>
        <translation>
            <numerusform>%n 个模式未融合</numerusform>
        </translation>
    </message>
    <message>
        <source>Every known pattern has fused</source>
        <translation>所有已知模式均已融合</translation>
    </message>
</context>
<context>
    <name>Graph</name>
    <message>
        <source>block {n} of {all}</source>
        <translation>第 {n} 个模块，共 {all} 个</translation>
    </message>
    <message>
        <source>{n} more of the same</source>
        <translation>另有 {n} 个相同模块</translation>
    </message>
    <message>
        <source>lowest in each block</source>
        <translation>各模块最低精度</translation>
    </message>
    <message>
        <source>highest in each block</source>
        <translation>各模块最高值</translation>
    </message>
    <message>
        <source>longest in each block</source>
        <translation>各模块最长</translation>
    </message>
    <message>
        <source>worst in each block</source>
        <translation>各模块最差</translation>
    </message>
    <message>
        <source>{n} kernels</source>
        <translation>{n} 个算子</translation>
    </message>
    <message>
        <source>KL ×10⁻³ at the output if only this kernel has its precision</source>
        <translation>仅此算子采用其精度时输出的 KL ×10⁻³</translation>
    </message>
    <message>
        <source>error at the output in % if only this kernel has its precision</source>
        <translation>仅此算子采用其精度时的输出误差，%</translation>
    </message>
    <message>
        <source>error before the last softmax in % if only this kernel has its precision</source>
        <translation>仅此算子取其精度时最后一个 softmax 之前的误差（%）</translation>
    </message>
    <message>
        <source>latency in µs</source>
        <translation>时延，µs</translation>
    </message>
    <message>
        <source>local error, SQNR in dB</source>
        <translation>局部误差，SQNR，dB</translation>
    </message>
    <message>
        <source>accumulated error, SQNR in dB</source>
        <translation>累积误差，SQNR，dB</translation>
    </message>
</context>
<context>
    <name>GraphLegend</name>
    <message>
        <source>Drag the marker to mark the kernels above a value; a double click or Delete puts it back</source>
        <translation>拖动标记以标出超过某一数值的算子；双击或按 Delete 使其复位</translation>
    </message>
    <message>
        <source>{n} of {all} below {value}</source>
        <translation>{all} 个中有 {n} 个低于 {value}</translation>
    </message>
    <message>
        <source>{n} of {all} above {value}</source>
        <translation>{all} 个中有 {n} 个高于 {value}</translation>
    </message>
</context>
<context>
    <name>GraphView</name>
    <message>
        <source>Graph</source>
        <translation>图</translation>
    </message>
    <message>
        <source>Graph of the kernels</source>
        <translation>算子图</translation>
    </message>
    <message>
        <source>Overview</source>
        <translation>全图</translation>
    </message>
    <message>
        <source>Threshold</source>
        <translation>阈值</translation>
    </message>
    <message>
        <source>Overlay</source>
        <translation>叠加</translation>
    </message>
    <message>
        <source>Fold repeated blocks</source>
        <translation>折叠重复模块</translation>
    </message>
    <message>
        <source>Find kernels</source>
        <translation>查找算子</translation>
    </message>
    <message>
        <source>Fit (F)</source>
        <translation>适合窗口 (F)</translation>
    </message>
    <message>
        <source>Zoom out (−)</source>
        <translation>缩小 (−)</translation>
    </message>
    <message>
        <source>Zoom in (+)</source>
        <translation>放大 (+)</translation>
    </message>
    <message>
        <source>Copy and export</source>
        <translation>复制与导出</translation>
    </message>
    <message>
        <source>Open a model to see its kernels and how they are connected.</source>
        <translation>打开模型后，这里显示算子及其连接。</translation>
    </message>
    <message>
        <source>{n} kernels from {m} ONNX nodes, laid out in {time}</source>
        <translation>{n} 个算子，来自 {m} 个 ONNX 节点，布局用时 {time}</translation>
    </message>
    <message>
        <source>{place} of {count}</source>
        <translation>第 {place} 个，共 {count} 个</translation>
    </message>
    <message numerus="yes">
        <source>%n found</source>
        <translation>
            <numerusform>找到 %n 个</numerusform>
        </translation>
    </message>
    <message>
        <source>Fit</source>
        <translation>适合窗口</translation>
    </message>
    <message>
        <source>Fold all blocks</source>
        <translation>折叠所有模块</translation>
    </message>
    <message>
        <source>Unfold the first of each</source>
        <translation>展开每组的第一个</translation>
    </message>
    <message>
        <source>no precision switch</source>
        <translation>无精度开关</translation>
    </message>
    <message>
        <source>CPU fallback</source>
        <translation>CPU 回退</translation>
    </message>
    <message>
        <source>none</source>
        <translation>无</translation>
    </message>
    <message>
        <source>precision</source>
        <translation>精度</translation>
    </message>
    <message>
        <source>sensitivity</source>
        <translation>敏感度</translation>
    </message>
    <message>
        <source>latency</source>
        <translation>时延</translation>
    </message>
    <message>
        <source>local error</source>
        <translation>局部误差</translation>
    </message>
    <message>
        <source>accumulated</source>
        <translation>累积误差</translation>
    </message>
    <message>
        <source>unit</source>
        <translation>单元</translation>
    </message>
</context>
<context>
    <name>HandoverPanel</name>
    <message>
        <source>Checking what it makes of the plan</source>
        <translation>正在检查该目标如何执行此方案</translation>
    </message>
    <message>
        <source>This can't be exported now</source>
        <translation>目前无法导出</translation>
    </message>
    <message>
        <source>As planned: every kernel keeps its precision</source>
        <translation>与方案一致：所有算子保持原精度</translation>
    </message>
    <message>
        <source>Another precision for {count} of {all} kernels</source>
        <translation>{all} 个算子中有 {count} 个改用其他精度</translation>
    </message>
    <message>
        <source>Model size</source>
        <translation>模型大小</translation>
    </message>
    <message>
        <source>Simulated latency</source>
        <translation>仿真时延</translation>
    </message>
</context>
<context>
    <name>HistoryView</name>
    <message>
        <source>History</source>
        <translation>历史记录</translation>
    </message>
    <message numerus="yes">
        <source>%n edit(s)</source>
        <translation>
            <numerusform>%n 次修改</numerusform>
        </translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>撤销</translation>
    </message>
    <message>
        <source>Redo</source>
        <translation>重做</translation>
    </message>
    <message>
        <source>Nothing has been edited yet. Every edit of the plan is listed here and can be undone.</source>
        <translation>尚未修改。对方案的每次修改都会列在这里，并可撤销。</translation>
    </message>
    <message>
        <source>As opened</source>
        <translation>打开时</translation>
    </message>
    <message numerus="yes">
        <source>%n kernel(s)</source>
        <translation>
            <numerusform>%n 个算子</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>ImageForm</name>
    <message>
        <source>Height</source>
        <translation>高度</translation>
    </message>
    <message>
        <source>Width</source>
        <translation>宽度</translation>
    </message>
    <message>
        <source>as input</source>
        <translation>与输入相同</translation>
    </message>
    <message>
        <source>stretch</source>
        <translation>拉伸</translation>
    </message>
    <message>
        <source>cover and cut the middle out</source>
        <translation>覆盖并裁出中间</translation>
    </message>
    <message>
        <source>own</source>
        <translation>自定义</translation>
    </message>
    <message>
        <source>grey</source>
        <translation>灰度</translation>
    </message>
    <message>
        <source>Resize to</source>
        <translation>缩放到</translation>
    </message>
    <message>
        <source>Shape</source>
        <translation>形状</translation>
    </message>
    <message>
        <source>Channels</source>
        <translation>通道</translation>
    </message>
    <message>
        <source>Layout</source>
        <translation>数据布局</translation>
    </message>
    <message>
        <source>Normalisation</source>
        <translation>归一化</translation>
    </message>
    <message>
        <source>Pixel values</source>
        <translation>像素值</translation>
    </message>
    <message>
        <source>then minus mean</source>
        <translation>再减均值</translation>
    </message>
    <message>
        <source>divided by std</source>
        <translation>除以标准差</translation>
    </message>
    <message>
        <source>ImageNet mean and std</source>
        <translation>ImageNet 均值与标准差</translation>
    </message>
    <message>
        <source>0 … 255, pixels as they are</source>
        <translation>0 … 255，像素原值</translation>
    </message>
    <message>
        <source>(pixel {scale} − mean) ÷ std; pixels from 0 to 255 become {low} to {high}</source>
        <translation>(像素 {scale} − 均值) ÷ 标准差；0 至 255 的像素变为 {low} 至 {high}</translation>
    </message>
    <message>
        <source>{input}: std must be numbers, such as 0.229, 0.224, 0.225</source>
        <translation>{input}：标准差应为数字，例如 0.229, 0.224, 0.225</translation>
    </message>
    <message>
        <source>{input}: std must not be 0</source>
        <translation>{input}：标准差不能为 0</translation>
    </message>
    <message>
        <source>{input}: mean must be numbers, such as 0.485, 0.456, 0.406</source>
        <translation>{input}：均值应为数字，例如 0.485, 0.456, 0.406</translation>
    </message>
</context>
<context>
    <name>JitterView</name>
    <message>
        <source>Jitter</source>
        <translation>抖动</translation>
    </message>
    <message>
        <source>Open latencies…</source>
        <translation>打开时延列表…</translation>
    </message>
    <message>
        <source>Copy and export</source>
        <translation>复制与导出</translation>
    </message>
    <message>
        <source>Latency by run</source>
        <translation>逐次运行的时延</translation>
    </message>
    <message>
        <source>Distribution of the latency</source>
        <translation>时延分布</translation>
    </message>
    <message>
        <source>No latencies yet. A list of some hundred tells what disturbs: one a line in µs, or a column or key whose name has the unit, such as latency_ms.</source>
        <translation>还没有时延数据。几百次的列表就能看出干扰来源：每行一个数，单位 µs；或者一列或一个键，其名称带有单位，例如 latency_ms。</translation>
    </message>
    <message numerus="yes">
        <source>%n inference(s)</source>
        <translation>
            <numerusform>%n 次推理</numerusform>
        </translation>
    </message>
    <message>
        <source>median {median} · p95 {p95} · p99 {p99} · worst {worst}</source>
        <translation>中位数 {median} · p95 {p95} · p99 {p99} · 最差 {worst}</translation>
    </message>
    <message>
        <source>Latency by run, {unit}</source>
        <translation>逐次运行的时延，{unit}</translation>
    </message>
    <message>
        <source>outlier</source>
        <translation>离群值</translation>
    </message>
    <message>
        <source>last: ≥ {value}</source>
        <translation>末条 ≥ {value}</translation>
    </message>
    <message>
        <source>Runs by latency, {unit}</source>
        <translation>按时延统计的运行次数，{unit}</translation>
    </message>
    <message>
        <source>run {run}: {time}</source>
        <translation>第 {run} 次：{time}</translation>
    </message>
    <message>
        <source>Latencies</source>
        <translation>时延</translation>
    </message>
    <message>
        <source>All files</source>
        <translation>所有文件</translation>
    </message>
    <message>
        <source>Open measured latencies</source>
        <translation>打开实测时延</translation>
    </message>
</context>
<context>
    <name>Jobs</name>
    <message>
        <source>queued</source>
        <translation>排队中</translation>
    </message>
    <message>
        <source>cancelled</source>
        <translation>已取消</translation>
    </message>
    <message>
        <source>failed after {0}</source>
        <translation>{0} 后失败</translation>
    </message>
    <message>
        <source>stopping</source>
        <translation>正在停止</translation>
    </message>
    <message>
        <source>paused after {0}</source>
        <translation>已暂停，已运行 {0}</translation>
    </message>
    <message>
        <source>{0} left</source>
        <translation>剩余 {0}</translation>
    </message>
</context>
<context>
    <name>JobsView</name>
    <message>
        <source>Jobs</source>
        <translation>任务</translation>
    </message>
    <message numerus="yes">
        <source>%n running</source>
        <translation>
            <numerusform>%n 个运行中</numerusform>
        </translation>
    </message>
    <message>
        <source>Cancel all jobs</source>
        <translation>取消全部任务</translation>
    </message>
    <message>
        <source>Nothing has run yet. Evaluations, sweeps and exports are listed here.</source>
        <translation>尚无任务。评估、扫描与导出会列在这里。</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Go on</source>
        <translation>继续</translation>
    </message>
    <message>
        <source>Pause</source>
        <translation>暂停</translation>
    </message>
    <message>
        <source>Copy details</source>
        <translation>复制详情</translation>
    </message>
</context>
<context>
    <name>Kernel</name>
    <message>
        <source>Weights</source>
        <translation>权重</translation>
    </message>
    <message>
        <source>Rounding</source>
        <translation>取整方法</translation>
    </message>
    <message>
        <source>Activations</source>
        <translation>激活</translation>
    </message>
    <message numerus="yes">
        <source>on %n sample(s)</source>
        <translation>
            <numerusform>基于 %n 个样本</numerusform>
        </translation>
    </message>
    <message>
        <source>Input range</source>
        <translation>输入范围</translation>
    </message>
    <message>
        <source>in the file</source>
        <translation>文件自带</translation>
    </message>
    <message>
        <source>symmetric</source>
        <translation>对称</translation>
    </message>
    <message>
        <source>asymmetric</source>
        <translation>非对称</translation>
    </message>
    <message>
        <source>groups of {0}</source>
        <translation>每组 {0}</translation>
    </message>
    <message>
        <source>per channel</source>
        <translation>逐通道</translation>
    </message>
    <message>
        <source>per tensor</source>
        <translation>逐张量</translation>
    </message>
    <message>
        <source>static</source>
        <translation>静态</translation>
    </message>
    <message>
        <source>dynamic</source>
        <translation>动态</translation>
    </message>
    <message>
        <source>Local</source>
        <translation>局部</translation>
    </message>
    <message>
        <source>Accumulated</source>
        <translation>累积</translation>
    </message>
    <message>
        <source>estimate</source>
        <translation>估计值</translation>
    </message>
    <message>
        <source>Output, alone</source>
        <translation>输出（单独）</translation>
    </message>
    <message>
        <source>cosine {0}</source>
        <translation>余弦 {0}</translation>
    </message>
    <message>
        <source>MTE2 in</source>
        <translation>MTE2 搬入</translation>
    </message>
    <message>
        <source>MTE3 out</source>
        <translation>MTE3 搬出</translation>
    </message>
    <message>
        <source>Launch</source>
        <translation>启动开销</translation>
    </message>
    <message>
        <source>DDR read</source>
        <translation>DDR 读</translation>
    </message>
    <message>
        <source>of it weights</source>
        <translation>其中权重</translation>
    </message>
    <message>
        <source>DDR write</source>
        <translation>DDR 写</translation>
    </message>
    <message>
        <source>Tiles</source>
        <translation>切分块数</translation>
    </message>
    <message>
        <source>Energy</source>
        <translation>能耗</translation>
    </message>
    <message>
        <source>What if</source>
        <translation>假如</translation>
    </message>
    <message>
        <source>Latency</source>
        <translation>时延</translation>
    </message>
    <message>
        <source>Output</source>
        <translation>输出</translation>
    </message>
    <message>
        <source>dB, alone</source>
        <translation>dB，单独</translation>
    </message>
    <message>
        <source>Local: error of this kernel fed with reference inputs.
Output, alone: error at the model's output when only this kernel takes the scheme.</source>
        <translation>局部：输入取参考值时该算子自身的误差。
输出（单独）：只有该算子采用此方案时模型输出处的误差。</translation>
    </message>
    <message>
        <source>Click to set {0}</source>
        <translation>单击设为 {0}</translation>
    </message>
</context>
<context>
    <name>KernelListView</name>
    <message>
        <source>Copy and export</source>
        <translation>复制与导出</translation>
    </message>
</context>
<context>
    <name>KernelView</name>
    <message>
        <source>Kernel</source>
        <translation>算子</translation>
    </message>
    <message>
        <source>Stay on this kernel</source>
        <translation>固定在此算子</translation>
    </message>
    <message>
        <source>Advanced</source>
        <translation>高级</translation>
    </message>
    <message>
        <source>Where the time goes</source>
        <translation>时间去向</translation>
    </message>
    <message>
        <source>What if</source>
        <translation>假如</translation>
    </message>
    <message>
        <source>Traffic</source>
        <translation>数据流量</translation>
    </message>
    <message>
        <source>Fused from</source>
        <translation>融合自</translation>
    </message>
    <message>
        <source>Select a kernel to see its formats, where its time goes and what else it could be.</source>
        <translation>选择一个算子，查看它的格式、时间去向以及其他可选项。</translation>
    </message>
    <message>
        <source>About this kernel, kept in the project</source>
        <translation>关于此算子，随项目保存</translation>
    </message>
    <message>
        <source>Note</source>
        <translation>备注</translation>
    </message>
    <message>
        <source>Locked: edits and the search leave this kernel alone.</source>
        <translation>已锁定：修改与搜索不会动它。</translation>
    </message>
    <message>
        <source>Not simulated yet.</source>
        <translation>尚未仿真。</translation>
    </message>
    <message numerus="yes">
        <source>%n ONNX node(s)</source>
        <translation>
            <numerusform>%n 个 ONNX 节点</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Saves %n launch(es), {0} in each run.</source>
        <translation>
            <numerusform>省去 %n 次下发，每次推理节省 {0}。</numerusform>
        </translation>
    </message>
    <message>
        <source>Not fused with {0}: {1}.</source>
        <translation>未与 {0} 融合：{1}。</translation>
    </message>
    <message>
        <source>This kernel has no precision of its own, so there is no other to try.</source>
        <translation>此算子没有自己的精度，因此没有别的方案可试。</translation>
    </message>
</context>
<context>
    <name>LatencyView</name>
    <message>
        <source>Latency per kernel</source>
        <translation>各算子时延</translation>
    </message>
    <message>
        <source>Open a model to see where the time goes.</source>
        <translation>打开模型，查看时间花在哪里。</translation>
    </message>
    <message>
        <source>The device is being simulated.</source>
        <translation>正在仿真设备。</translation>
    </message>
    <message>
        <source>{latency} per run</source>
        <translation>单次 {latency}</translation>
    </message>
    <message>
        <source>kernel</source>
        <translation>算子</translation>
    </message>
    <message>
        <source>launch</source>
        <translation>启动</translation>
    </message>
    <message>
        <source>faster than before</source>
        <translation>比之前快</translation>
    </message>
    <message>
        <source>slower</source>
        <translation>更慢</translation>
    </message>
    <message>
        <source>µs by kernel</source>
        <translation>各算子 µs</translation>
    </message>
    <message>
        <source>latency</source>
        <translation>时延</translation>
    </message>
    <message>
        <source>before</source>
        <translation>之前</translation>
    </message>
    <message>
        <source>bound by</source>
        <translation>瓶颈</translation>
    </message>
    <message>
        <source>Show the whole network</source>
        <translation>显示整个网络</translation>
    </message>
</context>
<context>
    <name>Layers</name>
    <message>
        <source>Sort by</source>
        <translation>排序依据</translation>
    </message>
    <message>
        <source>Copy rows</source>
        <translation>复制行</translation>
    </message>
    <message>
        <source>op</source>
        <translation>类型</translation>
    </message>
    <message>
        <source>shape</source>
        <translation>形状</translation>
    </message>
    <message>
        <source>work</source>
        <translation>计算量</translation>
    </message>
    <message>
        <source>{0} parameters</source>
        <translation>{0} 个参数</translation>
    </message>
    <message>
        <source>latency</source>
        <translation>时延</translation>
    </message>
    <message>
        <source>unit, bound by</source>
        <translation>单元、瓶颈</translation>
    </message>
    <message>
        <source>note</source>
        <translation>备注</translation>
    </message>
    <message>
        <source>local</source>
        <translation>局部</translation>
    </message>
    <message>
        <source>accumulated</source>
        <translation>累积</translation>
    </message>
    <message>
        <source>Layer</source>
        <translation>层</translation>
    </message>
    <message>
        <source>Op</source>
        <translation>算子类型</translation>
    </message>
    <message>
        <source>Output</source>
        <translation>输出</translation>
    </message>
    <message>
        <source>Parameters</source>
        <translation>参数</translation>
    </message>
    <message>
        <source>MACs</source>
        <translation>乘加</translation>
    </message>
    <message>
        <source>Precision</source>
        <translation>精度</translation>
    </message>
    <message>
        <source>Weights</source>
        <translation>权重</translation>
    </message>
    <message>
        <source>Local</source>
        <translation>局部</translation>
    </message>
    <message>
        <source>Accumulated</source>
        <translation>累积</translation>
    </message>
    <message>
        <source>Sensitivity</source>
        <translation>敏感度</translation>
    </message>
    <message>
        <source>Latency</source>
        <translation>时延</translation>
    </message>
    <message>
        <source>DDR traffic</source>
        <translation>DDR 流量</translation>
    </message>
    <message>
        <source>Δ error</source>
        <translation>Δ 误差</translation>
    </message>
    <message>
        <source>Δ latency</source>
        <translation>Δ 时延</translation>
    </message>
    <message>
        <source>Δ weights</source>
        <translation>Δ 权重</translation>
    </message>
    <message>
        <source>Unit</source>
        <translation>单元</translation>
    </message>
    <message>
        <source>Bound by</source>
        <translation>瓶颈</translation>
    </message>
    <message>
        <source>Flags</source>
        <translation>标记</translation>
    </message>
    <message>
        <source>rel. L2 %</source>
        <translation>相对 L2 %</translation>
    </message>
    <message>
        <source>Error before the last softmax or sigmoid when only this kernel takes its scheme. Lower is better; rank by this one.</source>
        <translation>仅此算子采用其格式时，最后一个 softmax 或 sigmoid 之前的误差。越低越好；按此列排序。</translation>
    </message>
    <message>
        <source>Position in execution order. A blue dot marks a difference to the compared plan.</source>
        <translation>执行顺序。蓝点表示与对比方案不同。</translation>
    </message>
    <message>
        <source>Name of the layer in the model.</source>
        <translation>模型中的层名。</translation>
    </message>
    <message>
        <source>Operators that were fused into this kernel.</source>
        <translation>融合进此算子的操作。</translation>
    </message>
    <message>
        <source>Shape of the first output.</source>
        <translation>第一个输出的形状。</translation>
    </message>
    <message>
        <source>Constants that the kernel reads.</source>
        <translation>算子读取的常量。</translation>
    </message>
    <message>
        <source>Multiply-accumulates of one run.</source>
        <translation>单次运行的乘加次数。</translation>
    </message>
    <message>
        <source>Number format. Keys 4, 8, 6 set INT4, INT8, FP16 on the selection.</source>
        <translation>数值格式。按 4、8、6 将所选设为 INT4、INT8、FP16。</translation>
    </message>
    <message>
        <source>Packed weights with their scales and zero points, under the current plan.</source>
        <translation>当前方案下打包后的权重，含缩放因子与零点。</translation>
    </message>
    <message>
        <source>Error of this kernel alone, fed with reference inputs. Higher is better.</source>
        <translation>以参考输入单独运行此算子的误差。越高越好。</translation>
    </message>
    <message>
        <source>Error at this kernel's output in the quantized network. Higher is better; a longer bar is more noise.</source>
        <translation>量化网络中该算子输出处的误差。数值越高越好；条形越长噪声越大。</translation>
    </message>
    <message>
        <source>Error at the model's output when only this kernel takes its scheme. Lower is better; rank by this one.</source>
        <translation>仅此算子采用该格式时模型输出的误差。越低越好；请按它排序。</translation>
    </message>
    <message>
        <source>Time the run gets longer by. Pale part: launch overhead. Tick: the compared plan.</source>
        <translation>此算子增加的运行时间。浅色部分：启动开销。刻度：对比方案。</translation>
    </message>
    <message>
        <source>Bytes read from and written to DDR.</source>
        <translation>从 DDR 读取和写入的字节数。</translation>
    </message>
    <message>
        <source>Accumulated SQNR of this plan minus that of plan B. Positive is better. Choose B in Plans.</source>
        <translation>本方案的累积 SQNR 减去方案 B 的累积 SQNR。正值更好。可在“方案”中选择 B。</translation>
    </message>
    <message>
        <source>Latency of this plan minus that of plan B. Negative is better.</source>
        <translation>本方案的时延减去方案 B 的时延。负值更好。</translation>
    </message>
    <message>
        <source>Packed weights of this plan minus those of plan B. Negative is better.</source>
        <translation>本方案的打包权重减去方案 B 的打包权重。负值更好。</translation>
    </message>
    <message>
        <source>Unit of the device that does the work.</source>
        <translation>执行它的设备单元。</translation>
    </message>
    <message>
        <source>What limits the kernel on this device.</source>
        <translation>在此设备上限制该算子的因素。</translation>
    </message>
    <message>
        <source>Locked, on the CPU, overflow, no native support, a note.</source>
        <translation>已锁定、在 CPU 上运行、溢出、无原生支持、有备注。</translation>
    </message>
    <message>
        <source>Export table as CSV</source>
        <translation>将表格导出为 CSV</translation>
    </message>
    <message>
        <source>CSV files (*.csv)</source>
        <translation>CSV 文件 (*.csv)</translation>
    </message>
    <message>
        <source>overflow</source>
        <translation>溢出</translation>
    </message>
    <message>
        <source>NaN or infinity where the reference has none: the range of the format is exceeded.</source>
        <translation>参考中没有而结果中出现 NaN 或无穷：超出了格式的范围。</translation>
    </message>
    <message>
        <source>not measurable</source>
        <translation>无法测量</translation>
    </message>
    <message>
        <source>The reference itself holds NaN or infinity here: its error can't be measured.</source>
        <translation>此处参考值本身含 NaN 或无穷，误差无法测量。</translation>
    </message>
    <message>
        <source>The device has no kernel for this.</source>
        <translation>设备没有对应的算子。</translation>
    </message>
    <message>
        <source>not native</source>
        <translation>非原生</translation>
    </message>
    <message>
        <source>odd weights</source>
        <translation>异常权重</translation>
    </message>
    <message>
        <source>locked</source>
        <translation>已锁定</translation>
    </message>
    <message>
        <source>Edits and the search leave this kernel alone.</source>
        <translation>修改与搜索不会动此算子。</translation>
    </message>
    <message>
        <source>Advanced scheme…</source>
        <translation>高级格式…</translation>
    </message>
    <message>
        <source>Unlock</source>
        <translation>解锁</translation>
    </message>
    <message>
        <source>Lock</source>
        <translation>锁定</translation>
    </message>
    <message>
        <source>Select similar</source>
        <translation>选择相似</translation>
    </message>
    <message>
        <source>Same operators</source>
        <translation>相同算子</translation>
    </message>
    <message>
        <source>Same kind</source>
        <translation>相同类别</translation>
    </message>
    <message>
        <source>Same precision</source>
        <translation>相同精度</translation>
    </message>
    <message>
        <source>Same last part of the name</source>
        <translation>名称末段相同</translation>
    </message>
    <message>
        <source>Copy value</source>
        <translation>复制数值</translation>
    </message>
    <message>
        <source>Compact rows</source>
        <translation>紧凑行高</translation>
    </message>
    <message>
        <source>Normal rows</source>
        <translation>标准行高</translation>
    </message>
    <message>
        <source>Roomy rows</source>
        <translation>宽松行高</translation>
    </message>
    <message>
        <source>Reset columns</source>
        <translation>重置列</translation>
    </message>
    <message>
        <source>Copy table</source>
        <translation>复制表格</translation>
    </message>
    <message>
        <source>Export table as CSV…</source>
        <translation>将表格导出为 CSV…</translation>
    </message>
    <message>
        <source>Indicative only: synthetic input.</source>
        <translation>仅供参考：合成输入。</translation>
    </message>
    <message>
        <source>Last value, from before the latest edit; being computed again.</source>
        <translation>最近一次修改前的值，正在重新计算。</translation>
    </message>
    <message>
        <source>required {0}</source>
        <translation>要求 {0}</translation>
    </message>
    <message>
        <source>Not measured for this scheme. Run a sweep.</source>
        <translation>此格式尚未测量，请运行扫描。</translation>
    </message>
    <message>
        <source>estimate</source>
        <translation>估计值</translation>
    </message>
    <message>
        <source>launch {0}</source>
        <translation>启动 {0}</translation>
    </message>
    <message>
        <source>compared plan {0}</source>
        <translation>对比方案 {0}</translation>
    </message>
</context>
<context>
    <name>LayersHeader</name>
    <message>
        <source>Column headers</source>
        <translation>列标题</translation>
    </message>
</context>
<context>
    <name>LayersTable</name>
    <message>
        <source>Layers</source>
        <translation>层</translation>
    </message>
</context>
<context>
    <name>LayersView</name>
    <message>
        <source>Layers</source>
        <translation>层</translation>
    </message>
    <message>
        <source>edge fusion</source>
        <translation>端侧融合</translation>
    </message>
    <message>
        <source>cloud fusion</source>
        <translation>云侧融合</translation>
    </message>
    <message numerus="yes">
        <source>%n kernel(s)</source>
        <translation>
            <numerusform>%n 个算子</numerusform>
        </translation>
    </message>
    <message>
        <source>{0} of {1}</source>
        <translation>{0} / {1}</translation>
    </message>
    <message>
        <source>Columns and order</source>
        <translation>列与排序</translation>
    </message>
    <message>
        <source>Export table as CSV…</source>
        <translation>将表格导出为 CSV…</translation>
    </message>
    <message>
        <source>More</source>
        <translation>更多</translation>
    </message>
    <message>
        <source>Open a model to see its layers here.</source>
        <translation>打开模型后，这里显示它的层。</translation>
    </message>
</context>
<context>
    <name>LogView</name>
    <message>
        <source>Log</source>
        <translation>日志</translation>
    </message>
    <message numerus="yes">
        <source>%n error(s)</source>
        <translation>
            <numerusform>%n 个错误</numerusform>
        </translation>
    </message>
    <message>
        <source>All</source>
        <translation>全部</translation>
    </message>
    <message>
        <source>Warnings</source>
        <translation>警告</translation>
    </message>
    <message>
        <source>Errors</source>
        <translation>错误</translation>
    </message>
    <message>
        <source>Level</source>
        <translation>级别</translation>
    </message>
    <message>
        <source>Details</source>
        <translation>详情</translation>
    </message>
    <message>
        <source>Copy for a bug report</source>
        <translation>复制用于问题报告</translation>
    </message>
    <message>
        <source>Nothing of this level.</source>
        <translation>没有此级别的内容。</translation>
    </message>
    <message>
        <source>Nothing has happened yet. Warnings and errors are kept here.</source>
        <translation>尚无记录。警告与错误会保留在这里。</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>复制</translation>
    </message>
</context>
<context>
    <name>ManualWindow</name>
    <message>
        <source>Mixbit manual</source>
        <translation>Mixbit 手册</translation>
    </message>
    <message>
        <source>Search the manual</source>
        <translation>搜索手册</translation>
    </message>
    <message>
        <source>Contents</source>
        <translation>目录</translation>
    </message>
    <message>
        <source>Page</source>
        <translation>页面</translation>
    </message>
</context>
<context>
    <name>Measured</name>
    <message>
        <source>measured {measured} · simulated {simulated} · median ratio {ratio}</source>
        <translation>实测 {measured} · 仿真 {simulated} · 比值中位数 {ratio}</translation>
    </message>
    <message>
        <source>submit and sync {time}</source>
        <translation>提交与同步 {time}</translation>
    </message>
    <message>
        <source>conversions put in by the compiler {time}</source>
        <translation>编译器插入的转换 {time}</translation>
    </message>
    <message numerus="yes">
        <source>%n operator(s) of no kernel, {time}</source>
        <translation>
            <numerusform>%n 个运算不属于任何算子，{time}</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n kernel(s) not measured</source>
        <translation>
            <numerusform>%n 个算子没有实测</numerusform>
        </translation>
    </message>
    <message>
        <source>Kernel</source>
        <translation>算子</translation>
    </message>
    <message>
        <source>Measured</source>
        <translation>实测</translation>
    </message>
    <message>
        <source>Simulated</source>
        <translation>仿真</translation>
    </message>
    <message>
        <source>Ratio</source>
        <translation>比值</translation>
    </message>
</context>
<context>
    <name>MeasuredView</name>
    <message>
        <source>Measured</source>
        <translation>实测</translation>
    </message>
    <message>
        <source>Open profile…</source>
        <translation>打开性能数据…</translation>
    </message>
    <message>
        <source>Fit the device</source>
        <translation>拟合设备</translation>
    </message>
    <message>
        <source>Find launch times, bandwidth and efficiencies that explain the measured times</source>
        <translation>求出能解释实测时间的启动开销、带宽与效率</translation>
    </message>
    <message>
        <source>measured</source>
        <translation>实测</translation>
    </message>
    <message>
        <source>by simulated</source>
        <translation>与仿真之比</translation>
    </message>
    <message>
        <source>Open a model to hold its simulation against a device.</source>
        <translation>打开模型后可将其仿真与设备对照。</translation>
    </message>
    <message>
        <source>The simulation is running.</source>
        <translation>正在仿真。</translation>
    </message>
    <message>
        <source>No profile yet. A phone's *_op.csv, msprof's op_summary, MindSpore Lite's benchmark or a profile of ONNX Runtime can be opened.</source>
        <translation>还没有性能数据。可打开手机的 *_op.csv、msprof 的 op_summary、MindSpore Lite benchmark 的输出或 ONNX Runtime 的性能文件。</translation>
    </message>
    <message numerus="yes">
        <source>%n inference(s)</source>
        <translation>
            <numerusform>%n 次推理</numerusform>
        </translation>
    </message>
    <message>
        <source>Names…</source>
        <translation>名称…</translation>
    </message>
    <message>
        <source>Close profile</source>
        <translation>关闭性能数据</translation>
    </message>
    <message>
        <source>Open a measured profile</source>
        <translation>打开实测性能数据</translation>
    </message>
    <message>
        <source>Profiles</source>
        <translation>性能数据</translation>
    </message>
    <message>
        <source>All files</source>
        <translation>所有文件</translation>
    </message>
    <message>
        <source>Names of the profile</source>
        <translation>性能数据中的名称</translation>
    </message>
    <message>
        <source>Time</source>
        <translation>时间</translation>
    </message>
</context>
<context>
    <name>MemoryLimitDialog</name>
    <message>
        <source>A file of a few bytes can describe a model that fills the memory of this machine; beyond the limit, Mixbit asks first.</source>
        <translation>几个字节的文件也可能描述一个占满本机内存的模型；超过上限时，Mixbit 会先询问。</translation>
    </message>
    <message>
        <source>Memory limit</source>
        <translation>内存上限</translation>
    </message>
    <message>
        <source>This model needs more memory than the limit allows.</source>
        <translation>该模型所需内存超过上限。</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Memory that a model may take</source>
        <translation>模型可占用的内存</translation>
    </message>
    <message>
        <source>Open with this limit</source>
        <translation>以此上限打开</translation>
    </message>
    <message>
        <source>Apply</source>
        <translation>应用</translation>
    </message>
</context>
<context>
    <name>MemoryView</name>
    <message>
        <source>Memory</source>
        <translation>内存</translation>
    </message>
    <message>
        <source>Open a model to see its memory.</source>
        <translation>打开模型，查看它的内存。</translation>
    </message>
    <message>
        <source>The memory is being planned.</source>
        <translation>正在规划内存。</translation>
    </message>
    <message>
        <source>live set</source>
        <translation>存活集合</translation>
    </message>
    <message>
        <source>activations · weights {size} apart</source>
        <translation>激活 · 权重另计 {size}</translation>
    </message>
    <message>
        <source>Address, {unit} by kernel</source>
        <translation>各算子地址，{unit}</translation>
    </message>
    <message>
        <source>Alive at #{index}</source>
        <translation>#{index} 处存活</translation>
    </message>
    <message>
        <source>Alive at #{index}, the peak</source>
        <translation>峰值 #{index} 处存活</translation>
    </message>
    <message>
        <source>alive</source>
        <translation>存活</translation>
    </message>
    <message>
        <source>size</source>
        <translation>大小</translation>
    </message>
    <message>
        <source>address</source>
        <translation>地址</translation>
    </message>
    <message>
        <source>Show the whole network</source>
        <translation>显示整个网络</translation>
    </message>
    <message>
        <source>peak {size}, equals the lower bound</source>
        <translation>峰值 {size}，等于下界</translation>
    </message>
    <message>
        <source>peak {size}</source>
        <translation>峰值 {size}</translation>
    </message>
    <message>
        <source>lower bound {size}</source>
        <translation>下界 {size}</translation>
    </message>
    <message>
        <source>budget {size}</source>
        <translation>预算 {size}</translation>
    </message>
</context>
<context>
    <name>MenuRow</name>
    <message>
        <source>Tune</source>
        <translation>调优</translation>
    </message>
    <message>
        <source>Profile</source>
        <translation>性能</translation>
    </message>
    <message>
        <source>Sweep</source>
        <translation>扫描</translation>
    </message>
    <message>
        <source>Compare</source>
        <translation>比对</translation>
    </message>
    <message>
        <source>Graph</source>
        <translation>图</translation>
    </message>
    <message>
        <source>Open a model first</source>
        <translation>请先打开模型</translation>
    </message>
    <message>
        <source>This version has no graph view yet; Layers lists the same kernels in order</source>
        <translation>此版本尚无图视图；层表按顺序列出相同的算子</translation>
    </message>
    <message>
        <source>Search kernels and commands</source>
        <translation>搜索算子与命令</translation>
    </message>
    <message>
        <source>Window layout</source>
        <translation>窗口布局</translation>
    </message>
    <message>
        <source>Language</source>
        <translation>语言</translation>
    </message>
    <message>
        <source>Light colours</source>
        <translation>浅色界面</translation>
    </message>
    <message>
        <source>Dark colours</source>
        <translation>深色界面</translation>
    </message>
</context>
<context>
    <name>Menus</name>
    <message>
        <source>Nothing yet</source>
        <translation>暂无</translation>
    </message>
</context>
<context>
    <name>MethodsDialog</name>
    <message>
        <source>Weight methods</source>
        <translation>权重量化方法</translation>
    </message>
    <message>
        <source>Weight methods for {0}</source>
        <translation>{0} 的权重量化方法</translation>
    </message>
    <message>
        <source>Formats and size stay the same; only how weights are rounded differs. At the output: with the rest of the plan as it is.</source>
        <translation>格式与大小不变，只是权重的取整方式不同。输出处的数值：方案其余部分保持不变。</translation>
    </message>
    <message>
        <source>Method</source>
        <translation>方法</translation>
    </message>
    <message>
        <source>This kernel</source>
        <translation>本算子</translation>
    </message>
    <message>
        <source>Gain, dB</source>
        <translation>增益，dB</translation>
    </message>
    <message>
        <source>Output</source>
        <translation>输出</translation>
    </message>
    <message>
        <source>Best for all kernels</source>
        <translation>为全部算子择优</translation>
    </message>
    <message>
        <source>Measures all methods on every kernel and keeps those that help at the output; one undo step.</source>
        <translation>逐个算子实测所有方法，只保留对输出有益的；可一步撤销。</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>Use</source>
        <translation>使用</translation>
    </message>
    <message numerus="yes">
        <source>%n other kernel(s) share the scale and take the method too; at the output all count.</source>
        <translation>
            <numerusform>另有 %n 个算子共用该缩放并一起采用该方法；输出处全部计入。</numerusform>
        </translation>
    </message>
    <message>
        <source>Not offered here:</source>
        <translation>此处不提供：</translation>
    </message>
    <message>
        <source>This kernel has float weights: there is nothing to round. Choose INT8 or INT4 first.</source>
        <translation>该算子权重为浮点，无需取整。请先选择 INT8 或 INT4。</translation>
    </message>
    <message>
        <source>No data yet.</source>
        <translation>尚无数据。</translation>
    </message>
    <message>
        <source>Choosing for all kernels… Jobs shows how far it is.</source>
        <translation>正在为全部算子择优…进度见“任务”。</translation>
    </message>
    <message>
        <source>{0} of {1} measured…</source>
        <translation>已测 {0}/{1}…</translation>
    </message>
    <message>
        <source>All measured. The best at the output is bold.</source>
        <translation>全部测完。输出处最佳者以粗体显示。</translation>
    </message>
</context>
<context>
    <name>OwnMetricDialog</name>
    <message>
        <source>Metric of your own</source>
        <translation>自定义指标</translation>
    </message>
    <message>
        <source>A Python function that rates the outputs</source>
        <translation>用于评价输出的 Python 函数</translation>
    </message>
    <message>
        <source>It is called as function(outputs, references, labels) for every plan, in a process of its own, and returns one number. It is not kept in projects: opening a file never runs code.</source>
        <translation>对每个方案以 function(outputs, references, labels) 的形式在独立进程中调用，返回一个数。它不会保存到项目中：打开文件绝不会运行代码。</translation>
    </message>
    <message>
        <source>Python file</source>
        <translation>Python 文件</translation>
    </message>
    <message>
        <source>Function</source>
        <translation>函数</translation>
    </message>
    <message>
        <source>Time limit</source>
        <translation>时间上限</translation>
    </message>
    <message>
        <source>Browse…</source>
        <translation>浏览…</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>移除</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>Apply</source>
        <translation>应用</translation>
    </message>
    <message>
        <source>Current plan: {0} · FP32: {1}</source>
        <translation>当前方案：{0} · FP32：{1}</translation>
    </message>
    <message>
        <source>Being computed…</source>
        <translation>计算中…</translation>
    </message>
    <message>
        <source>Computed with the next evaluation.</source>
        <translation>将随下一次评估计算。</translation>
    </message>
</context>
<context>
    <name>Palette</name>
    <message>
        <source>panel</source>
        <translation>面板</translation>
    </message>
    <message>
        <source>kernel</source>
        <translation>算子</translation>
    </message>
    <message>
        <source>Search kernels and commands</source>
        <translation>搜索算子与命令</translation>
    </message>
</context>
<context>
    <name>ParetoView</name>
    <message>
        <source>Pareto</source>
        <translation>帕累托</translation>
    </message>
    <message>
        <source>Find the front again and measure more of it</source>
        <translation>重新求前沿并多测一些点</translation>
    </message>
    <message>
        <source>Apply this plan</source>
        <translation>应用此方案</translation>
    </message>
    <message>
        <source>Compare others with this plan</source>
        <translation>将其他方案与此方案比较</translation>
    </message>
    <message>
        <source>Compare with the current plan again</source>
        <translation>恢复与当前方案比较</translation>
    </message>
    <message>
        <source>Latency, ms</source>
        <translation>时延，ms</translation>
    </message>
    <message>
        <source>Model size, MiB</source>
        <translation>模型大小，MiB</translation>
    </message>
    <message>
        <source>Energy per run, mJ</source>
        <translation>单次能耗，mJ</translation>
    </message>
    <message>
        <source>Output SQNR, dB</source>
        <translation>输出 SQNR，dB</translation>
    </message>
    <message>
        <source>What the plot shows to the right</source>
        <translation>横轴显示什么</translation>
    </message>
    <message>
        <source>What the plot shows upwards</source>
        <translation>纵轴显示什么</translation>
    </message>
    <message>
        <source>Open a model to see what its plans cost and lose.</source>
        <translation>打开模型后可查看各方案的代价与损失。</translation>
    </message>
    <message>
        <source>Finding plans…</source>
        <translation>正在寻找方案…</translation>
    </message>
    <message>
        <source>No plans to compare yet.</source>
        <translation>还没有可比较的方案。</translation>
    </message>
    <message>
        <source>Find plans</source>
        <translation>寻找方案</translation>
    </message>
    <message>
        <source>{count} plans, {measured} measured</source>
        <translation>{count} 个方案，已测 {measured} 个</translation>
    </message>
    <message>
        <source>measured</source>
        <translation>实测</translation>
    </message>
    <message>
        <source>predicted</source>
        <translation>预测</translation>
    </message>
    <message>
        <source>breaks a budget</source>
        <translation>超出预算</translation>
    </message>
    <message>
        <source>front</source>
        <translation>前沿</translation>
    </message>
    <message>
        <source>{up} by {right}</source>
        <translation>{up} 对 {right}</translation>
    </message>
    <message>
        <source>Errors don't add up here: trust measured plans only</source>
        <translation>此网络的误差不可叠加：只应相信实测方案</translation>
    </message>
    <message>
        <source>budget {value}</source>
        <translation>预算 {value}</translation>
    </message>
    <message>
        <source>now</source>
        <translation>当前</translation>
    </message>
    <message>
        <source>P{number}</source>
        <translation>P{number}</translation>
    </message>
    <message>
        <source>Proposal {number}</source>
        <translation>候选方案 {number}</translation>
    </message>
    <message>
        <source>Plan of the front</source>
        <translation>前沿上的方案</translation>
    </message>
    <message>
        <source>Current plan</source>
        <translation>当前方案</translation>
    </message>
    <message>
        <source>accuracy</source>
        <translation>准确率</translation>
    </message>
    <message>
        <source>in the plan now</source>
        <translation>即当前方案</translation>
    </message>
    <message numerus="yes">
        <source>%n edit(s) · click applies · Ctrl+click compares</source>
        <translation>
            <numerusform>%n 处修改 · 单击应用 · Ctrl+单击比较</numerusform>
        </translation>
    </message>
    <message>
        <source>compared with the marked plan · </source>
        <translation>与标记的方案比较 · </translation>
    </message>
</context>
<context>
    <name>Plans</name>
    <message>
        <source>Latency</source>
        <translation>时延</translation>
    </message>
    <message>
        <source>Size</source>
        <translation>大小</translation>
    </message>
    <message>
        <source>Peak</source>
        <translation>峰值</translation>
    </message>
    <message>
        <source>Energy</source>
        <translation>能耗</translation>
    </message>
    <message>
        <source>Plan</source>
        <translation>方案</translation>
    </message>
    <message>
        <source>Precisions</source>
        <translation>精度构成</translation>
    </message>
    <message>
        <source>Current plan</source>
        <translation>当前方案</translation>
    </message>
    <message>
        <source>Measured with other data: {data}. Measure again to compare.</source>
        <translation>用其他数据测得：{data}。请重新测量后再比较。</translation>
    </message>
    <message>
        <source>Not measured yet.</source>
        <translation>尚未测量。</translation>
    </message>
</context>
<context>
    <name>PlansView</name>
    <message>
        <source>Plans</source>
        <translation>方案</translation>
    </message>
    <message numerus="yes">
        <source>%n kept</source>
        <translation>
            <numerusform>已保留 %n 个</numerusform>
        </translation>
    </message>
    <message>
        <source>Keep the current plan by a name</source>
        <translation>以名称保留当前方案</translation>
    </message>
    <message>
        <source>More</source>
        <translation>更多</translation>
    </message>
    <message>
        <source>Transitions between precisions, from A to B</source>
        <translation>精度转移，从 A 到 B</translation>
    </message>
    <message>
        <source>Open a model to keep plans and compare them here.</source>
        <translation>打开模型后，可在此保留并比较方案。</translation>
    </message>
    <message>
        <source>Open a model…</source>
        <translation>打开模型…</translation>
    </message>
    <message>
        <source>Compare no more</source>
        <translation>停止比较</translation>
    </message>
    <message>
        <source>Compare with (B)</source>
        <translation>作为 B 比较</translation>
    </message>
    <message>
        <source>Choose a kept plan to compare with</source>
        <translation>选择一个已保留的方案来比较</translation>
    </message>
    <message>
        <source>{count} kernels: {a} in A, {b} in B</source>
        <translation>{count} 个算子：A 中为 {a}，B 中为 {b}</translation>
    </message>
    <message>
        <source>Plan</source>
        <translation>方案</translation>
    </message>
    <message>
        <source>Apply</source>
        <translation>应用</translation>
    </message>
    <message>
        <source>Rename</source>
        <translation>重命名</translation>
    </message>
    <message>
        <source>Duplicate</source>
        <translation>复制一份</translation>
    </message>
    <message>
        <source>Export…</source>
        <translation>导出…</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>删除</translation>
    </message>
    <message>
        <source>Keep the current plan</source>
        <translation>保留当前方案</translation>
    </message>
    <message>
        <source>Measure again with the data in use</source>
        <translation>用当前数据重新测量</translation>
    </message>
    <message>
        <source>Differences of A and B</source>
        <translation>A 与 B 的差异</translation>
    </message>
    <message>
        <source>Export {plan}</source>
        <translation>导出 {plan}</translation>
    </message>
    <message>
        <source>Plans (*.json)</source>
        <translation>方案 (*.json)</translation>
    </message>
</context>
<context>
    <name>PlotView</name>
    <message>
        <source>Open a model…</source>
        <translation>打开模型…</translation>
    </message>
</context>
<context>
    <name>PrecisionMix</name>
    <message>
        <source>Precision mix</source>
        <translation>精度占比</translation>
    </message>
</context>
<context>
    <name>PreflightView</name>
    <message>
        <source>Preflight</source>
        <translation>预检</translation>
    </message>
    <message numerus="yes">
        <source>%n finding(s)</source>
        <translation>
            <numerusform>%n 项发现</numerusform>
        </translation>
    </message>
    <message>
        <source>Open a model to see what will hurt on the device.</source>
        <translation>打开模型，查看在设备上会有什么问题。</translation>
    </message>
    <message>
        <source>The first simulation is running.</source>
        <translation>正在进行首次仿真。</translation>
    </message>
    <message>
        <source>Nothing found: every kernel runs natively and none is held up by its launch.</source>
        <translation>没有发现问题：所有算子都原生运行，且不受启动开销限制。</translation>
    </message>
    <message>
        <source>Go to where it is mended</source>
        <translation>转到可处理之处</translation>
    </message>
    <message>
        <source>Copy all</source>
        <translation>复制全部</translation>
    </message>
</context>
<context>
    <name>Ranking</name>
    <message>
        <source>Estimate, {measure}</source>
        <translation>估计值，{measure}</translation>
    </message>
    <message>
        <source>One in, {measure}</source>
        <translation>单层量化，{measure}</translation>
    </message>
    <message>
        <source>Rank</source>
        <translation>名次</translation>
    </message>
    <message>
        <source>Kernel</source>
        <translation>算子</translation>
    </message>
    <message>
        <source>Now</source>
        <translation>当前</translation>
    </message>
    <message>
        <source>One out, dB</source>
        <translation>单层还原，dB</translation>
    </message>
    <message>
        <source>Raise the worst</source>
        <translation>提升最敏感的</translation>
    </message>
    <message>
        <source>to</source>
        <translation>至</translation>
    </message>
    <message>
        <source>How many of the worst kernels are raised</source>
        <translation>提升多少个最敏感的算子</translation>
    </message>
    <message>
        <source>Scheme that they get</source>
        <translation>提升后的量化格式</translation>
    </message>
    <message numerus="yes">
        <source>Apply %n edit(s)</source>
        <translation>
            <numerusform>应用 %n 处修改</numerusform>
        </translation>
    </message>
    <message>
        <source>Nothing is coarser than {scheme}.</source>
        <translation>没有比 {scheme} 更粗的算子。</translation>
    </message>
    <message>
        <source>Move the slider to see what it costs.</source>
        <translation>拖动滑块查看代价。</translation>
    </message>
    <message>
        <source>output SQNR {now} → ≈{then}</source>
        <translation>输出 SQNR {now} → ≈{then}</translation>
    </message>
    <message>
        <source>latency {change}</source>
        <translation>时延 {change}</translation>
    </message>
    <message>
        <source>size {change}</source>
        <translation>大小 {change}</translation>
    </message>
</context>
<context>
    <name>RankingView</name>
    <message>
        <source>Ranking</source>
        <translation>排序</translation>
    </message>
    <message>
        <source>as planned</source>
        <translation>按方案</translation>
    </message>
    <message>
        <source>Scheme whose sensitivity is ranked: {scheme}</source>
        <translation>按哪种量化格式的敏感度排序：{scheme}</translation>
    </message>
    <message>
        <source>rank</source>
        <translation>排名</translation>
    </message>
    <message>
        <source>Open a model to rank its kernels.</source>
        <translation>打开模型，对它的算子排序。</translation>
    </message>
    <message>
        <source>sensitivity at the output</source>
        <translation>输出处的敏感度</translation>
    </message>
    <message>
        <source>Measure one out</source>
        <translation>测量单层还原</translation>
    </message>
    <message>
        <source>Measure instead</source>
        <translation>改为测量</translation>
    </message>
    <message>
        <source>The ranking needs a sensitivity sweep.</source>
        <translation>排序需要先进行敏感度扫描。</translation>
    </message>
    <message>
        <source>Start the sweep</source>
        <translation>开始扫描</translation>
    </message>
    <message>
        <source>The ranking comes as soon as the data is there.</source>
        <translation>数据就绪后即给出排序。</translation>
    </message>
</context>
<context>
    <name>RawForm</name>
    <message>
        <source>Type</source>
        <translation>类型</translation>
    </message>
    <message>
        <source>Shape</source>
        <translation>形状</translation>
    </message>
    <message>
        <source>{input}: write the shape as 1×3×224×224</source>
        <translation>{input}：形状请写成 1×3×224×224</translation>
    </message>
    <message>
        <source>{input}: the shape must hold {count} values, as the input does</source>
        <translation>{input}：形状须含 {count} 个值，与输入一致</translation>
    </message>
</context>
<context>
    <name>RecoveryDialog</name>
    <message>
        <source>Unsaved work</source>
        <translation>未保存的工作</translation>
    </message>
    <message>
        <source>Discard</source>
        <translation>丢弃</translation>
    </message>
    <message>
        <source>Later</source>
        <translation>稍后</translation>
    </message>
    <message>
        <source>Restore</source>
        <translation>恢复</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>Mixbit ended with work that was not saved.</source>
        <translation>Mixbit 退出时有工作未保存。</translation>
    </message>
    <message>
        <source>There is no unsaved work.</source>
        <translation>没有未保存的工作。</translation>
    </message>
    <message>
        <source>Restore opens it as it was, still unsaved; what is saved stays untouched until you save again.</source>
        <translation>“恢复”会按当时的状态打开，仍为未保存；已保存的内容在您再次保存之前保持不变。</translation>
    </message>
    <message>
        <source>project</source>
        <translation>项目</translation>
    </message>
    <message>
        <source>never saved</source>
        <translation>从未保存</translation>
    </message>
    <message>
        <source>{name} ({kind}), last edit {when}</source>
        <translation>{name}（{kind}），最后修改于 {when}</translation>
    </message>
</context>
<context>
    <name>ReplaceDialog</name>
    <message>
        <source>Replace</source>
        <translation>替换</translation>
    </message>
    <message>
        <source>{name} exists already.</source>
        <translation>{name} 已存在。</translation>
    </message>
    <message>
        <source>Files of the same names in this folder will be replaced:
{folder}</source>
        <translation>此文件夹中的同名文件将被替换：
{folder}</translation>
    </message>
    <message>
        <source>Its content will be lost. It is in
{folder}</source>
        <translation>其内容将丢失。所在位置：
{folder}</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
</context>
<context>
    <name>RooflineView</name>
    <message>
        <source>Roofline</source>
        <translation>屋顶线</translation>
    </message>
    <message>
        <source>Open a model to see what bounds its kernels.</source>
        <translation>打开模型，查看限制各算子的因素。</translation>
    </message>
    <message>
        <source>No kernel that multiplies has been simulated yet.</source>
        <translation>尚无做乘法的算子完成仿真。</translation>
    </message>
    <message>
        <source>DDR {rate}</source>
        <translation>DDR {rate}</translation>
    </message>
    <message>
        <source>TOPS by MAC per DDR byte</source>
        <translation>TOPS 对每 DDR 字节乘加</translation>
    </message>
    <message>
        <source>reaches</source>
        <translation>达到</translation>
    </message>
    <message>
        <source>of the roof</source>
        <translation>占屋顶</translation>
    </message>
    <message>
        <source>MAC per byte</source>
        <translation>每字节乘加</translation>
    </message>
    <message>
        <source>latency</source>
        <translation>时延</translation>
    </message>
    <message>
        <source>bound by</source>
        <translation>瓶颈</translation>
    </message>
</context>
<context>
    <name>RuleDialog</name>
    <message>
        <source>Bulk edit by rule</source>
        <translation>按规则批量修改</translation>
    </message>
    <message>
        <source>any name; rules such as is:changed work here too</source>
        <translation>任意名称；也可写 is:changed 之类的规则</translation>
    </message>
    <message>
        <source>any kind</source>
        <translation>任意类别</translation>
    </message>
    <message>
        <source>any precision</source>
        <translation>任意精度</translation>
    </message>
    <message>
        <source>no threshold</source>
        <translation>无阈值</translation>
    </message>
    <message>
        <source>Advanced</source>
        <translation>高级</translation>
    </message>
    <message>
        <source>Name or rule</source>
        <translation>名称或规则</translation>
    </message>
    <message>
        <source>Kind</source>
        <translation>类别</translation>
    </message>
    <message>
        <source>Precision now</source>
        <translation>当前精度</translation>
    </message>
    <message>
        <source>Threshold</source>
        <translation>阈值</translation>
    </message>
    <message>
        <source>Set to</source>
        <translation>设为</translation>
    </message>
    <message>
        <source>Relation</source>
        <translation>关系</translation>
    </message>
    <message>
        <source>Limit</source>
        <translation>界限</translation>
    </message>
    <message>
        <source>Apply</source>
        <translation>应用</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message numerus="yes">
        <source>%n kernel(s) match</source>
        <translation>
            <numerusform>%n 个算子匹配</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n locked kernel(s) stay as they are</source>
        <translation>
            <numerusform>%n 个锁定的算子保持不变</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>and %n more</source>
        <translation>
            <numerusform>以及另外 %n 个</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>SampleCard</name>
    <message>
        <source>Open</source>
        <translation>打开</translation>
    </message>
</context>
<context>
    <name>Samples</name>
    <message>
        <source>calibration</source>
        <translation>校准</translation>
    </message>
    <message>
        <source>evaluation</source>
        <translation>评估</translation>
    </message>
    <message>
        <source>Activation ranges that this sample alone makes at least twice as wide as all others need</source>
        <translation>仅因该样本就扩大到其他样本所需两倍以上的激活范围个数</translation>
    </message>
    <message>
        <source>Set</source>
        <translation>集合</translation>
    </message>
    <message>
        <source>Sample</source>
        <translation>样本</translation>
    </message>
    <message>
        <source>Input</source>
        <translation>输入</translation>
    </message>
    <message>
        <source>min</source>
        <translation>最小</translation>
    </message>
    <message>
        <source>max</source>
        <translation>最大</translation>
    </message>
    <message>
        <source>mean</source>
        <translation>均值</translation>
    </message>
    <message>
        <source>std</source>
        <translation>标准差</translation>
    </message>
    <message>
        <source>widens</source>
        <translation>扩大范围</translation>
    </message>
    <message>
        <source>Nothing about these samples looks wrong.</source>
        <translation>这些样本未见异常。</translation>
    </message>
    <message>
        <source>Samples in use</source>
        <translation>使用中的样本</translation>
    </message>
    <message>
        <source>{used} of {all}</source>
        <translation>{used}/{all}</translation>
    </message>
</context>
<context>
    <name>Scenario</name>
    <message>
        <source>step-wise trips</source>
        <translation>阶梯温控</translation>
    </message>
    <message>
        <source>power allocator</source>
        <translation>功率分配</translation>
    </message>
    <message>
        <source>fixed frequency</source>
        <translation>固定频率</translation>
    </message>
    <message>
        <source>power cap</source>
        <translation>功率上限</translation>
    </message>
</context>
<context>
    <name>ScenarioDialog</name>
    <message>
        <source>Sustained use</source>
        <translation>持续使用</translation>
    </message>
    <message>
        <source>How the device is used over minutes</source>
        <translation>数分钟内设备的使用方式</translation>
    </message>
    <message>
        <source>back to back, as fast as it can</source>
        <translation>连续运行，尽可能快</translation>
    </message>
    <message>
        <source>the device's own ({name})</source>
        <translation>设备自带（{name}）</translation>
    </message>
    <message>
        <source>Duration</source>
        <translation>时长</translation>
    </message>
    <message>
        <source>Runs</source>
        <translation>运行</translation>
    </message>
    <message>
        <source>Runs per second</source>
        <translation>每秒运行次数</translation>
    </message>
    <message>
        <source>Ambient temperature</source>
        <translation>环境温度</translation>
    </message>
    <message>
        <source>Governor</source>
        <translation>调频策略</translation>
    </message>
    <message>
        <source>Clock at most</source>
        <translation>频率上限</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Apply</source>
        <translation>应用</translation>
    </message>
</context>
<context>
    <name>SchemeDialog</name>
    <message numerus="yes">
        <source>Scheme for %n kernel(s)</source>
        <translation>
            <numerusform>%n 个算子的格式</numerusform>
        </translation>
    </message>
    <message>
        <source>Add</source>
        <translation>添加</translation>
    </message>
    <message>
        <source>Apply</source>
        <translation>应用</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Local error: being measured…</source>
        <translation>局部误差：测量中…</translation>
    </message>
    <message>
        <source>No data yet.</source>
        <translation>尚无数据。</translation>
    </message>
    <message>
        <source>Local error: {0}</source>
        <translation>局部误差：{0}</translation>
    </message>
    <message>
        <source>now {0}</source>
        <translation>当前 {0}</translation>
    </message>
    <message>
        <source>{0} in the worst kernel, {1}</source>
        <translation>{0}（最差算子 {1}）</translation>
    </message>
    <message>
        <source>{0} of {1} measured</source>
        <translation>已测 {0}/{1}</translation>
    </message>
</context>
<context>
    <name>SchemeEditor</name>
    <message>
        <source>Weights</source>
        <translation>权重</translation>
    </message>
    <message>
        <source>Scale</source>
        <translation>缩放因子</translation>
    </message>
    <message>
        <source>Group size</source>
        <translation>分组大小</translation>
    </message>
    <message>
        <source>Method</source>
        <translation>方法</translation>
    </message>
    <message>
        <source>Activations</source>
        <translation>激活</translation>
    </message>
    <message>
        <source>per tensor</source>
        <translation>逐张量</translation>
    </message>
    <message>
        <source>per channel</source>
        <translation>逐通道</translation>
    </message>
    <message>
        <source>per group</source>
        <translation>逐组</translation>
    </message>
    <message>
        <source>correct bias</source>
        <translation>偏置校正</translation>
    </message>
    <message>
        <source>The bias makes good what the rounded weights change on average.</source>
        <translation>由偏置补偿权重取整引起的平均偏移。</translation>
    </message>
    <message>
        <source>symmetric</source>
        <translation>对称</translation>
    </message>
    <message>
        <source>static range from calibration</source>
        <translation>来自校准的静态范围</translation>
    </message>
</context>
<context>
    <name>Schemes</name>
    <message>
        <source>Another scheme…</source>
        <translation>其他格式…</translation>
    </message>
    <message>
        <source>Another scheme</source>
        <translation>其他格式</translation>
    </message>
    <message>
        <source>symmetric</source>
        <translation>对称</translation>
    </message>
    <message>
        <source>asymmetric</source>
        <translation>非对称</translation>
    </message>
    <message>
        <source>symmetric activations</source>
        <translation>激活对称</translation>
    </message>
    <message>
        <source>dynamic</source>
        <translation>动态</translation>
    </message>
    <message>
        <source>corrected bias</source>
        <translation>偏置校正</translation>
    </message>
    <message>
        <source>cross-layer equalization</source>
        <translation>跨层均衡</translation>
    </message>
    <message>
        <source>round to nearest</source>
        <translation>四舍五入</translation>
    </message>
    <message>
        <source>group {size}</source>
        <translation>分组 {size}</translation>
    </message>
    <message>
        <source>per channel</source>
        <translation>逐通道</translation>
    </message>
    <message>
        <source>per tensor</source>
        <translation>逐张量</translation>
    </message>
</context>
<context>
    <name>Search</name>
    <message>
        <source>{limit} by {share}</source>
        <translation>{limit}超出 {share}</translation>
    </message>
    <message>
        <source>No plan keeps all limits; this is the nearest. It misses {limits}.</source>
        <translation>没有方案满足全部限制；这是最接近的方案。未满足：{limits}。</translation>
    </message>
    <message>
        <source>Untick “{option}” to give them smaller formats all the same: the device builds those in FP16.</source>
        <translation>取消勾选“{option}”即可仍为它们选用更小的格式：设备会以 FP16 构建这些算子。</translation>
    </message>
    <message>
        <source>All limits are kept.</source>
        <translation>全部限制均已满足。</translation>
    </message>
    <message>
        <source>Output SQNR: predicted {predicted}, measured {measured}.</source>
        <translation>输出 SQNR：预测 {predicted}，实测 {measured}。</translation>
    </message>
    <message>
        <source>Output SQNR: predicted {predicted}.</source>
        <translation>输出 SQNR：预测 {predicted}。</translation>
    </message>
    <message>
        <source>Bit operations: {count} G.</source>
        <translation>位运算量：{count} G。</translation>
    </message>
    <message>
        <source>Measured accuracy {share}.</source>
        <translation>实测准确率 {share}。</translation>
    </message>
    <message>
        <source>{share} keep their best class.</source>
        <translation>{share} 的样本最优类别不变。</translation>
    </message>
    <message>
        <source>What holds it back: {limits}.</source>
        <translation>起约束作用的限制：{limits}。</translation>
    </message>
    <message>
        <source>Errors of this network don't add up: trust only plans that have been measured.</source>
        <translation>此网络的误差不可叠加：只应相信实测过的方案。</translation>
    </message>
    <message>
        <source>and {count} more</source>
        <translation>另有 {count} 条</translation>
    </message>
</context>
<context>
    <name>SearchForm</name>
    <message>
        <source>Goal</source>
        <translation>目标</translation>
    </message>
    <message>
        <source>within</source>
        <translation>限制</translation>
    </message>
    <message>
        <source>Latency</source>
        <translation>时延</translation>
    </message>
    <message>
        <source>Model size</source>
        <translation>模型大小</translation>
    </message>
    <message>
        <source>Peak memory</source>
        <translation>峰值内存</translation>
    </message>
    <message>
        <source>Energy per run</source>
        <translation>单次能耗</translation>
    </message>
    <message>
        <source>Bit operations</source>
        <translation>位运算量</translation>
    </message>
    <message>
        <source>Latency after {minutes} min</source>
        <translation>{minutes} 分钟后的时延</translation>
    </message>
    <message>
        <source>Output SQNR</source>
        <translation>输出 SQNR</translation>
    </message>
    <message>
        <source>Accuracy drop</source>
        <translation>准确率下降</translation>
    </message>
    <message>
        <source>Against the labels; without labels, the share of samples whose best class may change</source>
        <translation>相对于标签；没有标签时，为最优类别允许改变的样本比例</translation>
    </message>
    <message>
        <source>Multiply-accumulates × weight bits × activation bits: what AMCT's mixed precision counts</source>
        <translation>乘加数 × 权重位数 × 激活位数：AMCT 自动混合精度所用的代价</translation>
    </message>
    <message>
        <source>May use</source>
        <translation>可用格式</translation>
    </message>
    <message>
        <source>More schemes</source>
        <translation>更多格式</translation>
    </message>
    <message>
        <source>Same scheme for a shared input</source>
        <translation>共用输入的算子取相同格式</translation>
    </message>
    <message>
        <source>Kernels of one kind that read the same tensor, such as q, k and v, and kernels that share a weight</source>
        <translation>读取同一张量的同类算子（如 q、k、v），以及共用权重的算子</translation>
    </message>
    <message>
        <source>Only what the device runs natively</source>
        <translation>仅用设备原生支持的格式</translation>
    </message>
    <message numerus="yes">
        <source>%n locked kernel(s) stay as they are</source>
        <translation>
            <numerusform>%n 个锁定的算子保持不变</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>SearchView</name>
    <message>
        <source>Search</source>
        <translation>搜索</translation>
    </message>
    <message>
        <source>propose a plan</source>
        <translation>给出候选方案</translation>
    </message>
    <message>
        <source>Proposals</source>
        <translation>候选方案</translation>
    </message>
    <message>
        <source>Keep</source>
        <translation>保留</translation>
    </message>
    <message>
        <source>Keep the proposal as a plan with a name, to compare it with others</source>
        <translation>将候选方案命名保留，以便与其他方案比较</translation>
    </message>
    <message>
        <source>What to raise next</source>
        <translation>下一步提升什么</translation>
    </message>
    <message>
        <source>gain</source>
        <translation>增益</translation>
    </message>
    <message>
        <source>per µs</source>
        <translation>每 µs</translation>
    </message>
    <message>
        <source>per byte</source>
        <translation>每字节</translation>
    </message>
    <message>
        <source>Order of the steps</source>
        <translation>步骤的排序</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>停止</translation>
    </message>
    <message>
        <source>Open a model to search a plan for it.</source>
        <translation>打开模型后可为其搜索方案。</translation>
    </message>
    <message>
        <source>Waiting for the data.</source>
        <translation>正在等待数据。</translation>
    </message>
    <message>
        <source>Searching…</source>
        <translation>正在搜索…</translation>
    </message>
    <message numerus="yes">
        <source>Apply %n edit(s)</source>
        <translation>
            <numerusform>应用 %n 处修改</numerusform>
        </translation>
    </message>
    <message>
        <source>This is the current plan</source>
        <translation>即当前方案</translation>
    </message>
    <message>
        <source>Proposal {number}</source>
        <translation>候选方案 {number}</translation>
    </message>
    <message numerus="yes">
        <source>%n edit(s)</source>
        <translation>
            <numerusform>%n 处修改</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{name} and %n more</source>
        <translation>
            <numerusform>{name} 等（另 %n 个）</numerusform>
        </translation>
    </message>
    <message>
        <source>hardly any gain</source>
        <translation>几乎无增益</translation>
    </message>
</context>
<context>
    <name>Sensitivity</name>
    <message>
        <source>restored, the output wins</source>
        <translation>还原后输出改善</translation>
    </message>
    <message>
        <source>device</source>
        <translation>设备</translation>
    </message>
    <message>
        <source>in the plan now</source>
        <translation>当前方案</translation>
    </message>
    <message>
        <source>{metric}, estimate</source>
        <translation>{metric}，估计值</translation>
    </message>
    <message>
        <source>no estimate</source>
        <translation>无估计值</translation>
    </message>
    <message>
        <source>output error</source>
        <translation>输出误差</translation>
    </message>
    <message>
        <source>not measured yet</source>
        <translation>尚未测量</translation>
    </message>
    <message>
        <source>measured</source>
        <translation>实测</translation>
    </message>
    <message>
        <source>not yet</source>
        <translation>尚无</translation>
    </message>
    <message>
        <source>{metric}, measured</source>
        <translation>{metric}，实测</translation>
    </message>
    <message>
        <source>no change</source>
        <translation>无变化</translation>
    </message>
    <message>
        <source>output, in this plan</source>
        <translation>本方案的输出</translation>
    </message>
    <message>
        <source>change of latency</source>
        <translation>时延变化</translation>
    </message>
    <message>
        <source>change of size</source>
        <translation>大小变化</translation>
    </message>
    <message>
        <source>in the plan</source>
        <translation>已在方案中</translation>
    </message>
    <message>
        <source>locked · Shift+click selects</source>
        <translation>已锁定 · Shift+单击选择</translation>
    </message>
    <message numerus="yes">
        <source>click to apply to the %n selected · drag selects</source>
        <translation>
            <numerusform>单击应用到选中的 %n 个 · 拖动选择</numerusform>
        </translation>
    </message>
    <message>
        <source>click to apply · drag or Shift+click selects</source>
        <translation>单击应用 · 拖动或 Shift+单击选择</translation>
    </message>
    <message>
        <source>What the output wins when only this kernel of the plan is restored, dB</source>
        <translation>只还原方案中这一个算子时输出的改善，dB</translation>
    </message>
    <message>
        <source>≈ of an older plan: what the output wins when a kernel is restored, dB</source>
        <translation>≈ 属于旧方案：还原一个算子时输出的改善，dB</translation>
    </message>
    <message>
        <source>Won by restoring, dB</source>
        <translation>还原的改善，dB</translation>
    </message>
    <message>
        <source>Output error when only this kernel takes the scheme, {metric}</source>
        <translation>只有这一个算子采用该格式时的输出误差，{metric}</translation>
    </message>
    <message>
        <source>Output error, {metric}</source>
        <translation>输出误差，{metric}</translation>
    </message>
    <message>
        <source>current plan</source>
        <translation>当前方案</translation>
    </message>
    <message>
        <source>estimate only</source>
        <translation>仅估计值</translation>
    </message>
    <message>
        <source>not on this device</source>
        <translation>此设备不支持</translation>
    </message>
</context>
<context>
    <name>SensitivityView</name>
    <message>
        <source>Sensitivity</source>
        <translation>敏感度</translation>
    </message>
    <message>
        <source>Open a model to see which kernels are sensitive.</source>
        <translation>打开模型，查看哪些算子敏感。</translation>
    </message>
    <message>
        <source>This model has no kernel whose precision can be set.</source>
        <translation>此模型没有可设置精度的算子。</translation>
    </message>
    <message>
        <source>No kernel passes the filter.</source>
        <translation>没有算子符合筛选条件。</translation>
    </message>
    <message numerus="yes">
        <source>Not measured around this plan yet. Restore %n kernel(s) one at a time, all others as planned.</source>
        <translation>
            <numerusform>尚未围绕此方案测量。逐个还原 %n 个算子，其余按方案不变。</numerusform>
        </translation>
    </message>
    <message>
        <source>Start the sweep</source>
        <translation>开始扫描</translation>
    </message>
    <message>
        <source>Measure instead</source>
        <translation>改为测量</translation>
    </message>
    <message numerus="yes">
        <source>Changes of the best class can only be measured: %n kernel(s) one at a time.</source>
        <translation>
            <numerusform>最优类别的变化只能测量：逐个测量 %n 个算子。</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Your own metric can only be measured: %n kernel(s) one at a time.</source>
        <translation>
            <numerusform>自定义指标只能测量：%n 个算子，逐个进行。</numerusform>
        </translation>
    </message>
    <message>
        <source>The sensitivity is estimated as soon as the data is there.</source>
        <translation>数据就绪后即估计敏感度。</translation>
    </message>
    <message numerus="yes">
        <source>Estimating %n kernel(s) in every scheme…</source>
        <translation>
            <numerusform>正在估计 %n 个算子在各量化格式下的敏感度…</numerusform>
        </translation>
    </message>
    <message>
        <source>Show the whole network</source>
        <translation>显示整个网络</translation>
    </message>
    <message>
        <source>Order of the kernels</source>
        <translation>算子顺序</translation>
    </message>
    <message>
        <source>As they run</source>
        <translation>按执行顺序</translation>
    </message>
    <message>
        <source>Worst first in {scheme}</source>
        <translation>按 {scheme} 从最敏感排起</translation>
    </message>
    <message>
        <source>{kernels} kernels × {schemes} schemes</source>
        <translation>{kernels} 个算子 × {schemes} 种格式</translation>
    </message>
    <message>
        <source>Block of {name}</source>
        <translation>{name} 模块</translation>
    </message>
    <message>
        <source>Block</source>
        <translation>块</translation>
    </message>
    <message>
        <source>Kernel</source>
        <translation>算子</translation>
    </message>
</context>
<context>
    <name>ShortcutsDialog</name>
    <message>
        <source>Shortcuts</source>
        <translation>快捷键</translation>
    </message>
    <message>
        <source>In the views</source>
        <translation>视图中</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
</context>
<context>
    <name>SourceEditor</name>
    <message>
        <source>Synthetic</source>
        <translation>合成数据</translation>
    </message>
    <message>
        <source>Images</source>
        <translation>图片</translation>
    </message>
    <message>
        <source>NumPy files</source>
        <translation>NumPy 文件</translation>
    </message>
    <message>
        <source>Raw files</source>
        <translation>原始文件</translation>
    </message>
    <message>
        <source>Kind of data</source>
        <translation>数据类别</translation>
    </message>
    <message>
        <source>Folder or file</source>
        <translation>文件夹或文件</translation>
    </message>
    <message>
        <source>automatic</source>
        <translation>自动</translation>
    </message>
    <message>
        <source>At most so many samples</source>
        <translation>样本数上限</translation>
    </message>
    <message>
        <source>Seeded noise in the shape and type of each input.</source>
        <translation>按每个输入的形状与类型生成固定种子的噪声。</translation>
    </message>
    <message>
        <source>.npz with an array per input name, or .npy for one input; the first axis counts samples. An array named labels gives the class of each sample.</source>
        <translation>.npz 中每个输入名对应一个数组，或单个输入用 .npy；第一轴为样本。名为 labels 的数组给出每个样本的类别。</translation>
    </message>
    <message>
        <source>At most</source>
        <translation>最多</translation>
    </message>
    <message>
        <source>Folder…</source>
        <translation>文件夹…</translation>
    </message>
    <message>
        <source>File…</source>
        <translation>文件…</translation>
    </message>
    <message>
        <source>In use now: {count}.</source>
        <translation>当前使用：{count}。</translation>
    </message>
    <message numerus="yes">
        <source>%n picture(s) found</source>
        <translation>
            <numerusform>找到 %n 张图片</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n NumPy file(s) found</source>
        <translation>
            <numerusform>找到 %n 个 NumPy 文件</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n raw file(s) found</source>
        <translation>
            <numerusform>找到 %n 个原始文件</numerusform>
        </translation>
    </message>
    <message>
        <source>Choose a folder or file.</source>
        <translation>请选择文件夹或文件。</translation>
    </message>
    <message>
        <source>Folder of samples</source>
        <translation>样本文件夹</translation>
    </message>
    <message>
        <source>File of samples</source>
        <translation>样本文件</translation>
    </message>
    <message>
        <source>Samples (*.npz *.npy *.bin *.raw *.png *.jpg)</source>
        <translation>样本 (*.npz *.npy *.bin *.raw *.png *.jpg)</translation>
    </message>
</context>
<context>
    <name>StartPage</name>
    <message>
        <source>Recent</source>
        <translation>最近</translation>
    </message>
    <message>
        <source>Models and projects that you open are listed here.</source>
        <translation>打开过的模型与项目会列在这里。</translation>
    </message>
    <message>
        <source>Samples</source>
        <translation>示例</translation>
    </message>
    <message>
        <source>trained, with data</source>
        <translation>已训练，附数据</translation>
    </message>
    <message>
        <source>The engine is starting…</source>
        <translation>引擎启动中…</translation>
    </message>
    <message>
        <source>{share} accuracy</source>
        <translation>准确率 {share}</translation>
    </message>
    <message>
        <source>Device</source>
        <translation>设备</translation>
    </message>
    <message>
        <source>Change…</source>
        <translation>更换…</translation>
    </message>
    <message>
        <source>Per-layer precision for phone NPUs: what you see is what you export.</source>
        <translation>面向手机 NPU 的逐层精度：所见即所导出。</translation>
    </message>
    <message>
        <source>Open model…</source>
        <translation>打开模型…</translation>
    </message>
    <message>
        <source>Open project…</source>
        <translation>打开项目…</translation>
    </message>
    <message>
        <source>Compare two dumps…</source>
        <translation>比对两个转储…</translation>
    </message>
    <message>
        <source>Three steps</source>
        <translation>三个步骤</translation>
    </message>
    <message>
        <source>Open an ONNX model</source>
        <translation>打开 ONNX 模型</translation>
    </message>
    <message>
        <source>or start from a sample on the right</source>
        <translation>或从右侧的示例开始</translation>
    </message>
    <message>
        <source>Give it data</source>
        <translation>提供数据</translation>
    </message>
    <message>
        <source>Analyze &gt; Data; samples have theirs</source>
        <translation>分析 &gt; 数据；示例自带数据</translation>
    </message>
    <message>
        <source>Click precisions, then export</source>
        <translation>点击精度，然后导出</translation>
    </message>
    <message>
        <source>4, 8 and 6 set INT4, INT8 and FP16</source>
        <translation>按 4、8、6 设为 INT4、INT8、FP16</translation>
    </message>
    <message>
        <source>Search commands</source>
        <translation>搜索命令</translation>
    </message>
    <message>
        <source>Shortcuts</source>
        <translation>快捷键</translation>
    </message>
    <message>
        <source>How figures are computed</source>
        <translation>指标如何计算</translation>
    </message>
    <message>
        <source>Drop an .onnx or .mixbit file anywhere in this window</source>
        <translation>将 .onnx 或 .mixbit 文件拖到窗口任意位置</translation>
    </message>
    <message>
        <source>external data is read from beside it  ·  the model is only read, never changed</source>
        <translation>外部数据从同一文件夹读取  ·  模型只读，不会被修改</translation>
    </message>
</context>
<context>
    <name>StatusRow</name>
    <message>
        <source>Cancel this job</source>
        <translation>取消此任务</translation>
    </message>
    <message>
        <source>Wrote {file}</source>
        <translation>已写入 {file}</translation>
    </message>
    <message>
        <source>Open folder</source>
        <translation>打开文件夹</translation>
    </message>
    <message>
        <source>Starting</source>
        <translation>启动中</translation>
    </message>
    <message>
        <source>Opening</source>
        <translation>正在打开</translation>
    </message>
    <message>
        <source>Ready</source>
        <translation>就绪</translation>
    </message>
    <message>
        <source>Computing</source>
        <translation>计算中</translation>
    </message>
    <message>
        <source>Not computed</source>
        <translation>未计算</translation>
    </message>
    <message>
        <source>calibration and reference run</source>
        <translation>校准与参考运行</translation>
    </message>
    <message>
        <source>errors from kernel {kernel} on</source>
        <translation>算子 {kernel} 之后的误差</translation>
    </message>
    <message>
        <source>Up to date</source>
        <translation>已是最新</translation>
    </message>
    <message>
        <source>synthetic data: errors are indicative only</source>
        <translation>合成数据：误差仅供参考</translation>
    </message>
    <message numerus="yes">
        <source>output error from %n sample(s) in {time}</source>
        <translation>
            <numerusform>输出误差：%n 个样本，{time}</numerusform>
        </translation>
    </message>
    <message>
        <source>paused</source>
        <translation>已暂停</translation>
    </message>
    <message>
        <source>{time} left</source>
        <translation>剩余 {time}</translation>
    </message>
    <message>
        <source>no model open</source>
        <translation>未打开模型</translation>
    </message>
    <message>
        <source>{chosen} of {all} selected</source>
        <translation>已选 {chosen} / {all}</translation>
    </message>
    <message>
        <source>device error band ±{band}</source>
        <translation>设备误差带 ±{band}</translation>
    </message>
    <message>
        <source>model {hash}</source>
        <translation>模型 {hash}</translation>
    </message>
</context>
<context>
    <name>Summary</name>
    <message>
        <source>Output SQNR</source>
        <translation>输出 SQNR</translation>
    </message>
    <message>
        <source>Latency</source>
        <translation>时延</translation>
    </message>
    <message>
        <source>Peak memory</source>
        <translation>峰值内存</translation>
    </message>
    <message>
        <source>Model size</source>
        <translation>模型大小</translation>
    </message>
    <message>
        <source>Energy per run</source>
        <translation>单次能耗</translation>
    </message>
    <message>
        <source>Skin temperature</source>
        <translation>表面温度</translation>
    </message>
    <message>
        <source>no budget</source>
        <translation>无预算</translation>
    </message>
    <message>
        <source>needs ≥ {0}</source>
        <translation>要求 ≥ {0}</translation>
    </message>
    <message>
        <source>budget ≤ {0}</source>
        <translation>预算 ≤ {0}</translation>
    </message>
    <message>
        <source>not measurable</source>
        <translation>无法测量</translation>
    </message>
    <message>
        <source>all FP16: {0}</source>
        <translation>全 FP16：{0}</translation>
    </message>
    <message>
        <source>this plan</source>
        <translation>此方案</translation>
    </message>
    <message>
        <source>compared plan</source>
        <translation>对比方案</translation>
    </message>
    <message>
        <source>all FP16</source>
        <translation>全部 FP16</translation>
    </message>
    <message>
        <source>The bar is the figure itself: past the mark the requirement holds.</source>
        <translation>条形长度即数值本身：超过刻度即满足要求。</translation>
    </message>
    <message>
        <source>The bar is the figure itself: past the mark the budget is broken.</source>
        <translation>条形长度即数值本身：超过刻度即超出预算。</translation>
    </message>
    <message>
        <source>kernels</source>
        <translation>算子</translation>
    </message>
    <message>
        <source>bytes</source>
        <translation>字节</translation>
    </message>
    <message>
        <source>latency</source>
        <translation>时延</translation>
    </message>
    <message>
        <source>Precision mix</source>
        <translation>精度占比</translation>
    </message>
    <message>
        <source>{0} of {1} samples so far</source>
        <translation>目前只算了 {0} / {1} 个样本</translation>
    </message>
    <message>
        <source>{0} failed</source>
        <translation>{0} 失败</translation>
    </message>
    <message>
        <source>{0} {1} (FP32 {2})</source>
        <translation>{0} {1}（FP32 {2}）</translation>
    </message>
    <message>
        <source>the reference holds NaN or infinity</source>
        <translation>参考值含 NaN 或无穷</translation>
    </message>
    <message>
        <source>perplexity {0} (FP32 {1})</source>
        <translation>困惑度 {0}（FP32 {1}）</translation>
    </message>
    <message>
        <source>accuracy {0}</source>
        <translation>准确率 {0}</translation>
    </message>
    <message>
        <source>top-1 {0}</source>
        <translation>top-1 {0}</translation>
    </message>
    <message>
        <source>cosine {0}</source>
        <translation>余弦 {0}</translation>
    </message>
    <message numerus="yes">
        <source>{0} of %n kernel(s) runs as FP16 here</source>
        <translation>
            <numerusform>%n 个算子的 {0} 在此设备上按 FP16 运行</numerusform>
        </translation>
    </message>
    <message>
        <source>{0} invocation</source>
        <translation>调用 {0}</translation>
    </message>
    <message>
        <source>{0} launch</source>
        <translation>启动 {0}</translation>
    </message>
    <message>
        <source>{0} CPU</source>
        <translation>CPU {0}</translation>
    </message>
    <message>
        <source>at {0}</source>
        <translation>位于 {0}</translation>
    </message>
    <message>
        <source>other</source>
        <translation>其他</translation>
    </message>
    <message>
        <source>{0} min</source>
        <translation>{0} 分钟</translation>
    </message>
    <message>
        <source>throttles at {0}</source>
        <translation>{0} 降频</translation>
    </message>
    <message>
        <source>no throttling</source>
        <translation>无降频</translation>
    </message>
    <message>
        <source>cosine similarity</source>
        <translation>余弦相似度</translation>
    </message>
    <message>
        <source>top-1 agreement</source>
        <translation>top-1 一致率</translation>
    </message>
    <message>
        <source>top-5 agreement</source>
        <translation>top-5 一致率</translation>
    </message>
    <message>
        <source>accuracy</source>
        <translation>准确率</translation>
    </message>
    <message>
        <source>accuracy of the reference</source>
        <translation>参考的准确率</translation>
    </message>
    <message numerus="yes">
        <source>%n sample(s)</source>
        <translation>
            <numerusform>%n 个样本</numerusform>
        </translation>
    </message>
    <message>
        <source>No budgets set</source>
        <translation>未设置预算</translation>
    </message>
    <message>
        <source>Set budgets to see what holds.</source>
        <translation>设置预算后可查看是否达标。</translation>
    </message>
    <message>
        <source>{0} of {1} budgets met</source>
        <translation>{1} 项预算中 {0} 项达标</translation>
    </message>
    <message numerus="yes">
        <source>All %n budget(s) met</source>
        <translation>
            <numerusform>%n 项预算全部达标</numerusform>
        </translation>
    </message>
    <message>
        <source>close: {0}</source>
        <translation>接近：{0}</translation>
    </message>
    <message>
        <source>{0} missed, {1} being checked</source>
        <translation>{0} 项未达标，{1} 项检查中</translation>
    </message>
    <message numerus="yes">
        <source>%n budget(s) met, {0} being checked</source>
        <translation>
            <numerusform>%n 项预算达标，{0} 项正在检查</numerusform>
        </translation>
    </message>
    <message>
        <source>{0} is not measurable</source>
        <translation>{0} 无法测量</translation>
    </message>
    <message>
        <source>{0} is {1} short</source>
        <translation>{0} 还差 {1}</translation>
    </message>
    <message>
        <source>{0} is {1} over</source>
        <translation>{0} 超出 {1}</translation>
    </message>
</context>
<context>
    <name>SummaryView</name>
    <message>
        <source>Summary</source>
        <translation>概览</translation>
    </message>
    <message>
        <source>{0} against {1}</source>
        <translation>{0} 对比 {1}</translation>
    </message>
    <message>
        <source>against {0}</source>
        <translation>对比 {0}</translation>
    </message>
    <message>
        <source>against the last plan</source>
        <translation>对比上一个方案</translation>
    </message>
    <message>
        <source>Budgets…</source>
        <translation>预算…</translation>
    </message>
    <message>
        <source>Open a model to see what it costs and how far it is from its budgets.</source>
        <translation>打开模型，查看它的代价以及与预算的差距。</translation>
    </message>
    <message>
        <source>Synthetic input: errors are indicative only.</source>
        <translation>合成输入：误差仅供参考。</translation>
    </message>
    <message>
        <source>Choose data…</source>
        <translation>选择数据…</translation>
    </message>
    <message>
        <source>Measure again</source>
        <translation>重新测量</translation>
    </message>
    <message>
        <source>The output error could not be computed</source>
        <translation>无法计算输出误差</translation>
    </message>
    <message>
        <source>Measuring was stopped</source>
        <translation>测量已停止</translation>
    </message>
    <message>
        <source>The error on show is out of date.</source>
        <translation>当前显示的误差已过时。</translation>
    </message>
    <message numerus="yes">
        <source>Raising %n kernel(s) was measured: {gain}, which is not enough; Search looks further.</source>
        <translation>
            <numerusform>提高 %n 个内核的精度后实测：{gain}，仍不达标；可用“搜索”继续寻找。</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>Sweeps</name>
    <message>
        <source>Question of the sweep</source>
        <translation>扫描的问题</translation>
    </message>
    <message>
        <source>Stop the sweep; what it has found stays</source>
        <translation>停止扫描；已得结果保留</translation>
    </message>
    <message>
        <source>Pause the sweep</source>
        <translation>暂停扫描</translation>
    </message>
    <message>
        <source>Go on with the sweep</source>
        <translation>继续扫描</translation>
    </message>
    <message>
        <source>Measure exactly, the worst by estimate first</source>
        <translation>精确测量，先测估计最敏感的</translation>
    </message>
    <message>
        <source>Measure of the output error: {name}</source>
        <translation>输出误差的度量：{name}</translation>
    </message>
    <message>
        <source>How far {function} of {file} moves from its value at FP32</source>
        <translation>{file} 中 {function} 偏离其 FP32 值的程度</translation>
    </message>
    <message>
        <source>{metric} (measured only)</source>
        <translation>{metric}（只能测量）</translation>
    </message>
    <message>
        <source>Change of your metric {function} (measured only)</source>
        <translation>自定义指标 {function} 的变化（只能测量）</translation>
    </message>
    <message>
        <source>Metric of your own…</source>
        <translation>自定义指标…</translation>
    </message>
    <message>
        <source>Schemes to sweep</source>
        <translation>要扫描的量化格式</translation>
    </message>
    <message>
        <source>Measure one in</source>
        <translation>测量单层量化</translation>
    </message>
    <message>
        <source>Measure one out around the plan</source>
        <translation>围绕方案测量单层还原</translation>
    </message>
    <message>
        <source>Filter</source>
        <translation>筛选</translation>
    </message>
    <message>
        <source>Filter kernels</source>
        <translation>筛选算子</translation>
    </message>
    <message>
        <source>Words of name or operator, or rules such as latency&gt;20 or is:locked</source>
        <translation>名称或算子类型中的词，或 latency&gt;20、is:locked 之类的规则</translation>
    </message>
    <message>
        <source>Logits SQNR</source>
        <translation>logits SQNR</translation>
    </message>
    <message>
        <source>Cosine</source>
        <translation>余弦</translation>
    </message>
    <message>
        <source>Top-1</source>
        <translation>Top-1</translation>
    </message>
    <message>
        <source>Own metric</source>
        <translation>自定义指标</translation>
    </message>
    <message>
        <source>SQNR at the outputs, dB</source>
        <translation>输出端 SQNR，dB</translation>
    </message>
    <message>
        <source>SQNR before the last softmax or sigmoid, dB</source>
        <translation>最后一个 softmax 或 sigmoid 之前的 SQNR，dB</translation>
    </message>
    <message>
        <source>KL divergence at the output, ×10⁻³ nats</source>
        <translation>输出端 KL 散度，×10⁻³ nat</translation>
    </message>
    <message>
        <source>Cosine distance at the outputs, ×10⁻³</source>
        <translation>输出端余弦距离，×10⁻³</translation>
    </message>
    <message>
        <source>Best class changed, % of rows</source>
        <translation>最优类别改变的比例，%</translation>
    </message>
    <message>
        <source>How far your own metric moves from its value at FP32</source>
        <translation>自定义指标偏离其 FP32 值的程度</translation>
    </message>
    <message>
        <source>estimated</source>
        <translation>估计</translation>
    </message>
    <message>
        <source>one in</source>
        <translation>单层量化</translation>
    </message>
    <message>
        <source>one out</source>
        <translation>单层还原</translation>
    </message>
    <message>
        <source>Estimated from a few backward passes: what the output loses when only this kernel takes the scheme</source>
        <translation>由少量反向传播估计：只有这一个算子采用该格式时输出的损失</translation>
    </message>
    <message>
        <source>Measured: what the output loses when only this kernel takes the scheme</source>
        <translation>实测：只有这一个算子采用该格式时输出的损失</translation>
    </message>
    <message>
        <source>Measured: what the output wins when only this kernel is restored, dB</source>
        <translation>实测：只还原这一个算子时输出的改善，dB</translation>
    </message>
    <message>
        <source>One in asks how much a kernel hurts alone, one out how much is won by restoring it alone while all others stay quantized. Errors hide and feed each other, so the two rank kernels differently: plan by one in, look for the last decibel by one out.</source>
        <translation>单层量化问的是一个算子单独带来多少损失，单层还原问的是其余保持量化、只还原它能挽回多少。误差会相互掩盖或放大，因此两种排序不同：制定方案看单层量化，争取最后一分贝看单层还原。</translation>
    </message>
    <message>
        <source>estimating</source>
        <translation>正在估计</translation>
    </message>
    <message>
        <source>all cells measured</source>
        <translation>全部单元格已实测</translation>
    </message>
    <message>
        <source>estimated in {time}</source>
        <translation>估计用时 {time}</translation>
    </message>
    <message numerus="yes">
        <source>%n probe(s) a sample</source>
        <translation>
            <numerusform>每样本 %n 个探针</numerusform>
        </translation>
    </message>
    <message>
        <source>measured {done} of {all}</source>
        <translation>已测 {done}/{all}</translation>
    </message>
    <message>
        <source>paused</source>
        <translation>已暂停</translation>
    </message>
    <message>
        <source>{time} left</source>
        <translation>剩余 {time}</translation>
    </message>
</context>
<context>
    <name>TargetList</name>
    <message>
        <source>What to write</source>
        <translation>导出内容</translation>
    </message>
    <message>
        <source>Mixbit</source>
        <translation>Mixbit</translation>
    </message>
    <message>
        <source>Huawei Ascend and Kirin</source>
        <translation>华为昇腾与麒麟</translation>
    </message>
    <message>
        <source>Other toolchains</source>
        <translation>其他工具链</translation>
    </message>
</context>
<context>
    <name>Tensors</name>
    <message>
        <source>Output of</source>
        <translation>输出自</translation>
    </message>
    <message>
        <source>Cosine</source>
        <translation>余弦</translation>
    </message>
</context>
<context>
    <name>TensorsView</name>
    <message>
        <source>Tensors</source>
        <translation>张量</translation>
    </message>
    <message>
        <source>cosine</source>
        <translation>余弦</translation>
    </message>
    <message>
        <source>Open a model to compare what its kernels compute.</source>
        <translation>打开模型，比对它的算子的计算结果。</translation>
    </message>
    <message>
        <source>The errors of this plan are being computed.</source>
        <translation>正在计算此方案的误差。</translation>
    </message>
    <message>
        <source>all samples, worst first</source>
        <translation>全部样本，最差在前</translation>
    </message>
</context>
<context>
    <name>ThermalView</name>
    <message>
        <source>first throttle {time}</source>
        <translation>首次降频 {time}</translation>
    </message>
    <message>
        <source>Thermal</source>
        <translation>热</translation>
    </message>
    <message>
        <source>Duration, run rate and ambient temperature</source>
        <translation>时长、运行频率与环境温度</translation>
    </message>
    <message>
        <source>Open a model to see how warm the device gets.</source>
        <translation>打开模型，查看设备会有多热。</translation>
    </message>
    <message>
        <source>Minutes of use are being simulated.</source>
        <translation>正在仿真数分钟的使用。</translation>
    </message>
    <message>
        <source>Show the whole time</source>
        <translation>显示全部时间</translation>
    </message>
    <message>
        <source>die</source>
        <translation>芯片</translation>
    </message>
    <message>
        <source>package</source>
        <translation>封装</translation>
    </message>
    <message>
        <source>skin</source>
        <translation>表面</translation>
    </message>
    <message>
        <source>skin before</source>
        <translation>之前的表面</translation>
    </message>
    <message>
        <source>Temperature, °C</source>
        <translation>温度，°C</translation>
    </message>
    <message>
        <source>skin trips {values}</source>
        <translation>表面触发温度 {values}</translation>
    </message>
    <message>
        <source>Power, W</source>
        <translation>功耗，W</translation>
    </message>
    <message>
        <source>Clock, %</source>
        <translation>频率，%</translation>
    </message>
    <message>
        <source>Latency, {unit}</source>
        <translation>时延，{unit}</translation>
    </message>
    <message>
        <source>in the end {latency}, {fps} runs/s</source>
        <translation>最终 {latency}，{fps} 次/秒</translation>
    </message>
    <message>
        <source>; {clock} % of the clock stays cool at {latency}</source>
        <translation>；频率限制为 {clock} % 可不降频，时延 {latency}</translation>
    </message>
    <message>
        <source>, clock at most {cap} %</source>
        <translation>，频率不超过 {cap} %</translation>
    </message>
    <message>
        <source>minutes, back-to-back runs at {ambient} ambient</source>
        <translation>分钟，连续运行，环境 {ambient}</translation>
    </message>
    <message>
        <source>minutes, {rate} runs/s at {ambient} ambient</source>
        <translation>分钟，{rate} 次/秒，环境 {ambient}</translation>
    </message>
    <message>
        <source>power</source>
        <translation>功耗</translation>
    </message>
    <message>
        <source>clock</source>
        <translation>频率</translation>
    </message>
    <message>
        <source>latency</source>
        <translation>时延</translation>
    </message>
</context>
<context>
    <name>TimelineView</name>
    <message>
        <source>Kernel</source>
        <translation>算子</translation>
    </message>
    <message>
        <source>MTE1 L1→L0</source>
        <translation>MTE1 L1→L0</translation>
    </message>
    <message>
        <source>MTE2 in</source>
        <translation>MTE2 搬入</translation>
    </message>
    <message>
        <source>MTE3 out</source>
        <translation>MTE3 搬出</translation>
    </message>
    <message>
        <source>Timeline</source>
        <translation>时间线</translation>
    </message>
    <message>
        <source>precision</source>
        <translation>精度</translation>
    </message>
    <message>
        <source>bound</source>
        <translation>瓶颈</translation>
    </message>
    <message>
        <source>Colour of the bars</source>
        <translation>条的颜色</translation>
    </message>
    <message>
        <source>Go to the current kernel (F)</source>
        <translation>转到当前算子 (F)</translation>
    </message>
    <message>
        <source>Show the whole run (F, F)</source>
        <translation>显示全程 (F, F)</translation>
    </message>
    <message>
        <source>Lane</source>
        <translation>通道</translation>
    </message>
    <message>
        <source>Whole run</source>
        <translation>全程</translation>
    </message>
    <message>
        <source>Open a model to see its run.</source>
        <translation>打开模型，查看它的运行过程。</translation>
    </message>
    <message>
        <source>The device is being simulated.</source>
        <translation>正在仿真设备。</translation>
    </message>
    <message>
        <source>invocation {time}</source>
        <translation>调用 {time}</translation>
    </message>
    <message>
        <source>Show the whole run</source>
        <translation>显示全程</translation>
    </message>
    <message>
        <source>Go to the current kernel</source>
        <translation>转到当前算子</translation>
    </message>
    <message>
        <source>Clear the measured area</source>
        <translation>清除测量区域</translation>
    </message>
    <message>
        <source>Export for Perfetto…</source>
        <translation>导出到 Perfetto…</translation>
    </message>
    <message>
        <source>Export for Perfetto</source>
        <translation>导出到 Perfetto</translation>
    </message>
    <message>
        <source>Chrome traces (*.json)</source>
        <translation>Chrome trace (*.json)</translation>
    </message>
    <message>
        <source>bound by</source>
        <translation>瓶颈</translation>
    </message>
    <message>
        <source>{latency} per run</source>
        <translation>单次 {latency}</translation>
    </message>
    <message>
        <source>{busy} of {total}</source>
        <translation>{busy} / {total}</translation>
    </message>
    <message>
        <source>latency</source>
        <translation>时延</translation>
    </message>
    <message>
        <source>launch {time}</source>
        <translation>启动 {time}</translation>
    </message>
    <message>
        <source>starts</source>
        <translation>开始于</translation>
    </message>
    <message>
        <source>DDR</source>
        <translation>DDR</translation>
    </message>
    <message numerus="yes">
        <source>%n kernel(s)</source>
        <translation>
            <numerusform>%n 个算子</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>Tour</name>
    <message>
        <source>A model is open</source>
        <translation>模型已打开</translation>
    </message>
    <message>
        <source>Its ONNX nodes are fused into kernels: one kernel is one launch on the NPU, one row, one bar. Open your own with Ctrl+O or by dropping it here.</source>
        <translation>其 ONNX 节点已融合为算子：一个算子就是 NPU 上的一次启动、表中的一行、图中的一条。按 Ctrl+O 或拖入文件可打开您自己的模型。</translation>
    </message>
    <message>
        <source>Errors come from your samples</source>
        <translation>误差来自您的样本</translation>
    </message>
    <message>
        <source>Calibration samples set the ranges of the activations, evaluation samples measure the errors. Give both here; without them the figures are indicative only.</source>
        <translation>校准样本确定激活的范围，评估样本测量误差。请在此提供两者；没有它们，数值仅供参考。</translation>
    </message>
    <message>
        <source>Click a precision</source>
        <translation>点击精度</translation>
    </message>
    <message>
        <source>Each row has a switch: INT4, INT8 or FP16. Or select rows and press 4, 8 or 6. Nothing is confirmed; Ctrl+Z takes any step back.</source>
        <translation>每行都有开关：INT4、INT8 或 FP16。也可选中若干行后按 4、8 或 6。无需确认，Ctrl+Z 可撤销任何一步。</translation>
    </message>
    <message>
        <source>See what it does</source>
        <translation>查看效果</translation>
    </message>
    <message>
        <source>Size, latency, memory, energy, heat and the error at the output, against your budgets and beside the previous plan. “≈” marks what is being computed.</source>
        <translation>模型大小、时延、内存、能耗、温度和输出误差，与您的预算及上一方案对照。“≈”表示正在计算。</translation>
    </message>
    <message>
        <source>Find the layers that hurt</source>
        <translation>找出敏感的层</translation>
    </message>
    <message>
        <source>One cell per kernel and precision: the error at the output if only that one is quantized. A click applies a cell.</source>
        <translation>每个算子和精度一格：仅量化该算子时的输出误差。点击即可应用。</translation>
    </message>
    <message>
        <source>Hand over</source>
        <translation>交付</translation>
    </message>
    <message>
        <source>Export a quantized ONNX model, or the files that your toolchain reads, with a report of what it can't do.</source>
        <translation>导出量化的 ONNX 模型或您的工具链所需的文件，并附上其无法支持之处的报告。</translation>
    </message>
    <message>
        <source>Back</source>
        <translation>上一步</translation>
    </message>
    <message>
        <source>Done</source>
        <translation>完成</translation>
    </message>
    <message>
        <source>Next</source>
        <translation>下一步</translation>
    </message>
    <message>
        <source>End tour</source>
        <translation>结束导览</translation>
    </message>
</context>
<context>
    <name>UnsavedDialog</name>
    <message>
        <source>Unsaved edits</source>
        <translation>未保存的修改</translation>
    </message>
    <message>
        <source>The plan has edits that are not saved.</source>
        <translation>方案有未保存的修改。</translation>
    </message>
    <message>
        <source>Discard</source>
        <translation>放弃</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Save</source>
        <translation>保存</translation>
    </message>
    <message>
        <source>Save…</source>
        <translation>保存…</translation>
    </message>
</context>
<context>
    <name>Usage</name>
    <message>
        <source>Rank</source>
        <translation>排名</translation>
    </message>
    <message>
        <source>Kernel</source>
        <translation>算子</translation>
    </message>
    <message>
        <source>Latency</source>
        <translation>时延</translation>
    </message>
    <message>
        <source>Bound by</source>
        <translation>瓶颈</translation>
    </message>
    <message>
        <source>invocation</source>
        <translation>调用</translation>
    </message>
    <message>
        <source>launches</source>
        <translation>启动开销</translation>
    </message>
    <message>
        <source>first bytes</source>
        <translation>首字节</translation>
    </message>
    <message>
        <source>Utilization of the units</source>
        <translation>各单元利用率</translation>
    </message>
    <message>
        <source>any unit</source>
        <translation>任一单元</translation>
    </message>
    <message>
        <source>gaps</source>
        <translation>空隙</translation>
    </message>
</context>
<context>
    <name>UsageView</name>
    <message>
        <source>Utilization</source>
        <translation>利用率</translation>
    </message>
    <message>
        <source>of the run</source>
        <translation>占全程</translation>
    </message>
    <message>
        <source>with all longer ones</source>
        <translation>连同更长的算子</translation>
    </message>
    <message>
        <source>Open a model to see how busy the NPU is.</source>
        <translation>打开模型以查看 NPU 有多忙。</translation>
    </message>
    <message>
        <source>The device is being simulated.</source>
        <translation>正在仿真设备。</translation>
    </message>
    <message>
        <source>top kernels by time</source>
        <translation>耗时最长的算子</translation>
    </message>
</context>
<context>
    <name>Words</name>
    <message>
        <source>Launch</source>
        <translation>启动开销</translation>
    </message>
    <message>
        <source>DDR weights</source>
        <translation>DDR 权重</translation>
    </message>
    <message>
        <source>DDR read</source>
        <translation>DDR 读</translation>
    </message>
    <message>
        <source>DDR write</source>
        <translation>DDR 写</translation>
    </message>
    <message>
        <source>runs on CPU</source>
        <translation>在 CPU 上运行</translation>
    </message>
    <message>
        <source>keeps its precision</source>
        <translation>保持其精度</translation>
    </message>
    <message>
        <source>follows input</source>
        <translation>跟随输入</translation>
    </message>
    <message>
        <source>Convolution</source>
        <translation>卷积</translation>
    </message>
    <message>
        <source>Depthwise</source>
        <translation>深度卷积</translation>
    </message>
    <message>
        <source>Transposed convolution</source>
        <translation>转置卷积</translation>
    </message>
    <message>
        <source>Gemm</source>
        <translation>Gemm</translation>
    </message>
    <message>
        <source>MatMul</source>
        <translation>MatMul</translation>
    </message>
    <message>
        <source>MatMul of activations</source>
        <translation>激活的 MatMul</translation>
    </message>
    <message>
        <source>Embedding</source>
        <translation>嵌入</translation>
    </message>
    <message>
        <source>Recurrent</source>
        <translation>循环层</translation>
    </message>
    <message>
        <source>Norm</source>
        <translation>归一化</translation>
    </message>
    <message>
        <source>Softmax</source>
        <translation>Softmax</translation>
    </message>
    <message>
        <source>Pooling</source>
        <translation>池化</translation>
    </message>
    <message>
        <source>Reduction</source>
        <translation>归约</translation>
    </message>
    <message>
        <source>Elementwise</source>
        <translation>逐元素</translation>
    </message>
    <message>
        <source>Data movement</source>
        <translation>数据搬运</translation>
    </message>
    <message>
        <source>Other</source>
        <translation>其他</translation>
    </message>
    <message>
        <source>idle</source>
        <translation>空闲</translation>
    </message>
</context>
<context>
    <name>engine</name>
    <message>
        <source>There is not enough memory for this; take fewer samples, smaller shapes or fewer workers.</source>
        <translation>内存不足；请减少样本、缩小形状或减少工作进程。</translation>
    </message>
    <message>
        <source>What was found can't be printed ({reason}).</source>
        <translation>结果无法输出（{reason}）。</translation>
    </message>
    <message>
        <source>The system refuses to go on ({reason}).</source>
        <translation>系统无法继续执行（{reason}）。</translation>
    </message>
    <message>
        <source>{path} can't be used ({reason}).</source>
        <translation>无法使用 {path}（{reason}）。</translation>
    </message>
    <message>
        <source>Give at least two plans to compare; {word} is one.</source>
        <translation>请至少给出两个要比较的方案；{word} 只是一个。</translation>
    </message>
    <message>
        <source>No kernel's name fits {pattern}; mixbit inspect lists the names.</source>
        <translation>没有算子的名称符合 {pattern}；mixbit inspect 会列出名称。</translation>
    </message>
    <message>
        <source>The first bad layer is {name}: {problem}</source>
        <translation>第一个不合格的层是 {name}：{problem}</translation>
    </message>
    <message>
        <source>The first bad layer is {name} (sample {sample}): {metric} is {value}, {limit} is required.</source>
        <translation>第一个不合格的层是 {name}（样本 {sample}）：{metric} 为 {value}，要求为 {limit}。</translation>
    </message>
    <message>
        <source>--shape names input {name} twice, with different shapes; keep one.</source>
        <translation>--shape 两次给出输入 {name}，且形状不同；请只保留一个。</translation>
    </message>
    <message>
        <source>{path} has no scheme for {count} of {all} layers with a precision; they stay FP32.</source>
        <translation>{path} 没有为 {all} 个可设精度的层中的 {count} 个给出方案；这些层保持 FP32。</translation>
    </message>
    <message>
        <source>{path} is a folder; add the name of the file that is to be written there.</source>
        <translation>{path} 是文件夹，请加上要写入的文件名。</translation>
    </message>
    <message>
        <source>{path} can't be written ({reason}); choose another place.</source>
        <translation>无法写入 {path}（{reason}）；请选择其他位置。</translation>
    </message>
    <message>
        <source>No kernel of this plan has integer weights: there is nothing to choose a method for.</source>
        <translation>该方案没有整数权重的算子：无从选择方法。</translation>
    </message>
    <message>
        <source>Synthetic input: the errors are indicative only; give real samples with --data and --calib.</source>
        <translation>合成输入：误差仅供参考；请用 --data 和 --calib 提供真实样本。</translation>
    </message>
    <message>
        <source>No layer of this model has weights whose precision can be set; nothing to sweep.</source>
        <translation>此模型没有可设置精度的权重层；无可扫描。</translation>
    </message>
    <message>
        <source>The best class stays what it is in any of these schemes: {layers}.</source>
        <translation>以下算子在这些格式下均不改变最佳类别：{layers}。</translation>
    </message>
    <message>
        <source>No effect on the output in any of these schemes: {layers}.</source>
        <translation>以下算子在这些格式下对输出均无影响：{layers}。</translation>
    </message>
    <message>
        <source>There is no metric named {name}; choose one of {names}, or write FILE.py:FUNCTION.</source>
        <translation>没有名为 {name} 的指标；请从 {names} 中选择，或写成 FILE.py:FUNCTION。</translation>
    </message>
    <message>
        <source>A function of your own has no gradient and can't be estimated; take --mode one-in or one-out.</source>
        <translation>自定义函数没有梯度，无法估计；请使用 --mode one-in 或 one-out。</translation>
    </message>
    <message>
        <source>A function of your own is asked in this process only; leave --workers and --dask out.</source>
        <translation>自定义函数只在本进程中调用；请去掉 --workers 与 --dask。</translation>
    </message>
    <message>
        <source>{path} is no ordinary file, so it is not replaced; choose another place.</source>
        <translation>{path} 不是普通文件，因此不会被替换，请另选位置。</translation>
    </message>
    <message>
        <source>{tensor} between them is an output of the model</source>
        <translation>它们之间的 {tensor} 是模型的输出</translation>
    </message>
    <message>
        <source>{tensor} between them is also read by {readers}</source>
        <translation>它们之间的 {tensor} 还被 {readers} 读取</translation>
    </message>
    <message>
        <source>the first has more results than {tensor}</source>
        <translation>前者除 {tensor} 外还有其他结果</translation>
    </message>
    <message>
        <source>the shape changes from {before} to {after}</source>
        <translation>形状从 {before} 变为 {after}</translation>
    </message>
    <message>
        <source>{first} takes one tensor from elsewhere, and has one already</source>
        <translation>{first} 只能从别处接收一个张量，而它已经有一个</translation>
    </message>
    <message>
        <source>{first} takes no tensor from elsewhere under these rules</source>
        <translation>按此规则，{first} 不从别处接收张量</translation>
    </message>
    <message>
        <source>these rules leave {step} to a kernel of its own</source>
        <translation>按此规则，{step} 自成一个算子</translation>
    </message>
    <message>
        <source>the BatchNorm is in training mode: its statistics change with every run</source>
        <translation>BatchNorm 处于训练模式：其统计量每次运行都会变化</translation>
    </message>
    <message>
        <source>the statistics of the BatchNorm are computed at run time</source>
        <translation>BatchNorm 的统计量在运行时计算</translation>
    </message>
    <message>
        <source>the tensor between them is quantized, so that the layer has to finish first</source>
        <translation>它们之间的张量已量化，因此该层必须先完成</translation>
    </message>
    <message>
        <source>{tensor} between them is read by other nodes, too</source>
        <translation>它们之间的 {tensor} 还被其他节点读取</translation>
    </message>
    <message>
        <source>the weights of the layer are computed at run time</source>
        <translation>该层的权重在运行时计算</translation>
    </message>
    <message>
        <source>the statistics of the BatchNorm are no finite numbers</source>
        <translation>BatchNorm 的统计量不是有限数</translation>
    </message>
    <message>
        <source>{tensor} inside is an output of the model</source>
        <translation>内部的 {tensor} 是模型的输出</translation>
    </message>
    <message>
        <source>{tensor} inside is also read by {readers}</source>
        <translation>内部的 {tensor} 还被 {readers} 读取</translation>
    </message>
    <message>
        <source>the cloud rules fuse only what every runtime does; the edge rules make it one kernel</source>
        <translation>云侧规则只做所有运行时都支持的融合；端侧规则会将其合为一个算子</translation>
    </message>
    <message>
        <source>{layers} in it stands between the parts of a sequence, which no kernel can hand on</source>
        <translation>其中的 {layers} 位于序列的各部分之间，而序列无法在算子之间传递</translation>
    </message>
    <message>
        <source>operator set {opset} is newer than the quantizers of ONNX Runtime ({newest}): export the model for an older one</source>
        <translation>算子集 {opset} 比 ONNX Runtime 的量化算子（{newest}）更新：请以更早的算子集导出模型</translation>
    </message>
    <message>
        <source>already quantized in the file: its weights keep that precision</source>
        <translation>文件中已量化：其权重保持该精度</translation>
    </message>
    <message>
        <source>weights inside a branch or loop body can't be set one by one</source>
        <translation>分支或循环体内的权重无法单独设置</translation>
    </message>
    <message>
        <source>both operands are computed at run time: it follows its inputs</source>
        <translation>两个操作数都在运行时计算：跟随输入</translation>
    </message>
    <message>
        <source>its weights are computed at run time: it follows its inputs</source>
        <translation>权重在运行时计算：跟随输入</translation>
    </message>
    <message>
        <source>its weights are stored as integers and stay as they are</source>
        <translation>权重以整数存储，保持不变</translation>
    </message>
    <message>
        <source>its constant operand has no channels that could be scaled</source>
        <translation>常量操作数没有可缩放的通道</translation>
    </message>
    <message>
        <source>its table is not looked up by row: only those have channels that could be scaled</source>
        <translation>其查找表不是按行查找：只有按行查找的表才有可缩放的通道</translation>
    </message>
    <message>
        <source>operator {op} is not known: it follows its input</source>
        <translation>未知操作 {op}：跟随输入</translation>
    </message>
    <message>
        <source>the scale and shift of a norm are not quantized: it follows its input</source>
        <translation>归一化的缩放与偏移不量化：跟随输入</translation>
    </message>
    <message>
        <source>its constants are no weights of a product, so they are not quantized: it follows its input</source>
        <translation>其常量不是乘积的权重，因此不量化：跟随输入</translation>
    </message>
    <message>
        <source>no weights: it follows its input</source>
        <translation>没有权重：跟随输入</translation>
    </message>
    <message>
        <source>{file} has no outputs, so there is nothing to run.</source>
        <translation>{file} 没有输出，无可运行。</translation>
    </message>
    <message>
        <source>{file} has an output without a name: the file is damaged.</source>
        <translation>{file} 有一个没有名称的输出：文件已损坏。</translation>
    </message>
    <message>
        <source>{file} stores two different tensors under the name {tensor}, so nobody knows which is meant.</source>
        <translation>{file} 中有两个不同的张量都名为 {tensor}，无法判断指的是哪一个。</translation>
    </message>
    <message>
        <source>{file}: two things have the name {tensor}, so nobody knows which is meant.</source>
        <translation>{file}：名称 {tensor} 出现了两次，无法判断指的是哪一个。</translation>
    </message>
    <message>
        <source>{file}: the node that makes {tensor} depends on its own result.</source>
        <translation>{file}：产生 {tensor} 的节点依赖于自身的结果。</translation>
    </message>
    <message>
        <source>{file}: nothing computes the output {tensor}.</source>
        <translation>{file}：没有节点计算输出 {tensor}。</translation>
    </message>
    <message>
        <source>{file}: the {op} node {node} reads {tensor}, which nothing computes.</source>
        <translation>{file}：{op} 节点 {node} 读取 {tensor}，但没有节点计算它。</translation>
    </message>
    <message>
        <source>{file} was changed while it was read; open the model again.</source>
        <translation>{file} 在读取过程中被修改；请重新打开模型。</translation>
    </message>
    <message>
        <source>Input {input} is a map: the tensor that is made of it is fed.</source>
        <translation>输入 {input} 是映射（map）：改为直接输入由它生成的张量。</translation>
    </message>
    <message>
        <source>Input {input} is of type {own}: it is fed as {kind} and cast.</source>
        <translation>输入 {input} 的类型是 {own}：以 {kind} 输入后再转换。</translation>
    </message>
    <message>
        <source>Input {input} is a sequence or optional: it is fed one tensor.</source>
        <translation>输入 {input} 是序列或可选值：改为输入一个张量。</translation>
    </message>
    <message>
        <source>{file}: input {input} is a map that the model reads as a whole: feed its values as a tensor.</source>
        <translation>{file}：输入 {input} 是模型整体读取的映射（map）：请把它的值改为张量输入。</translation>
    </message>
    <message>
        <source>Output {output} is of type {own}: it is read as {kind}.</source>
        <translation>输出 {output} 的类型是 {own}：以 {kind} 读取。</translation>
    </message>
    <message>
        <source>{file}: no tensor stands behind the output {output}.</source>
        <translation>{file}：输出 {output} 的背后没有张量。</translation>
    </message>
    <message>
        <source>Output {output} is no tensor: read is what it is made of, {parts}.</source>
        <translation>输出 {output} 不是张量：改为读取组成它的 {parts}。</translation>
    </message>
    <message>
        <source>{file}: tensor {tensor} has no known data type.</source>
        <translation>{file}：张量 {tensor} 的数据类型未知。</translation>
    </message>
    <message>
        <source>{file}: tensor {tensor} has a negative dimension.</source>
        <translation>{file}：张量 {tensor} 有负维度。</translation>
    </message>
    <message>
        <source>{file} keeps the weights of {tensor} in {location}, outside the model's folder: that is refused.</source>
        <translation>{file} 将 {tensor} 的权重放在模型文件夹之外的 {location}：已拒绝读取。</translation>
    </message>
    <message>
        <source>{file} keeps its weights in {location}, which is missing: put that file into the same folder.</source>
        <translation>{file} 的权重在 {location}，但该文件缺失：请放到同一文件夹。</translation>
    </message>
    <message>
        <source>{file}: tensor {tensor} of shape {shape} needs {need} bytes, the file has {found}.</source>
        <translation>{file}：形状为 {shape} 的张量 {tensor} 需要 {need} 字节，文件只有 {found}。</translation>
    </message>
    <message>
        <source>{file}: its local functions call each other so often that they unfold into more than {limit} nodes.</source>
        <translation>{file}：局部函数相互调用次数过多，展开后会超过 {limit} 个节点。</translation>
    </message>
    <message>
        <source>{file}: the local function {name} calls itself.</source>
        <translation>{file}：局部函数 {name} 调用了自身。</translation>
    </message>
    <message>
        <source>The file declares a dimension of 0 for {inputs}, so ONNX Runtime runs it on empty tensors only; it is opened as if that dimension were free.</source>
        <translation>文件把 {inputs} 的某个维度声明为 0，因此 ONNX Runtime 只能用空张量运行它；这里按该维度可变来打开。</translation>
    </message>
    <message>
        <source>The name of {file} is no valid text: rename the file or its folder.</source>
        <translation>{file} 的名称不是有效文本：请重命名文件或其文件夹。</translation>
    </message>
    <message>
        <source>The model file {file} can't be read: check its permissions.</source>
        <translation>无法读取模型文件 {file}：请检查权限。</translation>
    </message>
    <message>
        <source>{file} is a link that leads nowhere: choose the file itself.</source>
        <translation>{file} 是一个失效的链接：请直接选择文件本身。</translation>
    </message>
    <message>
        <source>{file} is a device or a pipe, not a file: save the model as an .onnx file.</source>
        <translation>{file} 是设备或管道而不是文件：请把模型保存为 .onnx 文件。</translation>
    </message>
    <message>
        <source>{file} is a folder: choose an .onnx file.</source>
        <translation>{file} 是文件夹：请选择 .onnx 文件。</translation>
    </message>
    <message>
        <source>There is no file {file} in {folder}.</source>
        <translation>{folder} 中没有文件 {file}。</translation>
    </message>
    <message>
        <source>{file}: input {input} is a {kind}, and only tensors can be fed.</source>
        <translation>{file}：输入 {input} 是 {kind}，只能输入张量。</translation>
    </message>
    <message>
        <source>{file} has no input {input}: its inputs are {inputs}.</source>
        <translation>{file} 没有输入 {input}：它的输入有 {inputs}。</translation>
    </message>
    <message>
        <source>{file} leaves dimensions of {inputs} free: say which shapes to use, for example {proposal}.</source>
        <translation>{file} 中 {inputs} 的维度未定：请指定形状，例如 {proposal}。</translation>
    </message>
    <message>
        <source>{file}: input {input} has the shape {declared}, so it can't take {shape}.</source>
        <translation>{file}：输入 {input} 的形状为 {declared}，不能接受 {shape}。</translation>
    </message>
    <message>
        <source>{file}: input {input} of shape {shape} would need {need} GB; the memory limit is {limit} GB.</source>
        <translation>{file}：形状为 {shape} 的输入 {input} 需要 {need} GB；内存上限为 {limit} GB。</translation>
    </message>
    <message>
        <source>{file} needs {need} GB to run, more than the memory limit of {limit} GB: raise the limit to open it.</source>
        <translation>运行 {file} 需要 {need} GB，超过内存上限 {limit} GB：要打开它请提高上限。</translation>
    </message>
    <message>
        <source>Reading {file}</source>
        <translation>正在读取 {file}</translation>
    </message>
    <message>
        <source>Checking {file}</source>
        <translation>正在检查 {file}</translation>
    </message>
    <message>
        <source>Running {file} once</source>
        <translation>试运行 {file}</translation>
    </message>
    <message>
        <source>Arranging {file}</source>
        <translation>正在整理 {file}</translation>
    </message>
    <message>
        <source>Opened {file}</source>
        <translation>已打开 {file}</translation>
    </message>
    <message>
        <source>Nothing reads the values of {inputs}.</source>
        <translation>没有节点读取 {inputs} 的值。</translation>
    </message>
    <message>
        <source>The file is quantized already ({count} nodes quantize or compute with codes): converters of some NPUs want the model in floats.</source>
        <translation>文件中已量化（{count} 个节点进行量化或用整数计算）：部分 NPU 的转换器需要浮点模型。</translation>
    </message>
    <message>
        <source>Tensors whose size depends on the input values: {count}; figures hold for the sizes of a trial run.</source>
        <translation>大小取决于输入值的张量：{count} 个；数值以一次试运行的大小为准。</translation>
    </message>
    <message>
        <source>{file}: the indices and values of the sparse tensor {tensor} don't fit its shape {shape}.</source>
        <translation>{file}：稀疏张量 {tensor} 的索引和值与其形状 {shape} 不符。</translation>
    </message>
    <message>
        <source>{file} has a loop that was not over after {seconds} s: it may be endless, so it is not opened.</source>
        <translation>{file} 中的循环在 {seconds} 秒后仍未结束，可能是死循环，因此不打开。</translation>
    </message>
    <message>
        <source>ONNX Runtime can't run {file}: {reason}.</source>
        <translation>ONNX Runtime 无法运行 {file}：{reason}。</translation>
    </message>
    <message>
        <source>{file}: {op} (node {node}) is no operator of opset {opset}; export the model without it.</source>
        <translation>{file}：{op}（节点 {node}）不是 opset {opset} 的算子；请导出不含它的模型。</translation>
    </message>
    <message>
        <source>{file}: {op} of {domain} (node {node}) is unknown to ONNX Runtime; export it as standard operators.</source>
        <translation>{file}：ONNX Runtime 不认识 {domain} 的 {op}（节点 {node}）；请改用标准算子导出。</translation>
    </message>
    <message>
        <source>The model file {file} is empty.</source>
        <translation>模型文件 {file} 是空的。</translation>
    </message>
    <message>
        <source>{file} is not an ONNX model, or the file is cut short: fetch or export it again.</source>
        <translation>{file} 不是 ONNX 模型，或文件不完整：请重新下载或导出。</translation>
    </message>
    <message>
        <source>{file} is not an ONNX model: its contents can't be read.</source>
        <translation>{file} 不是 ONNX 模型：无法读取其内容。</translation>
    </message>
    <message>
        <source>{file} is not an ONNX model: it holds no graph or names no operator set.</source>
        <translation>{file} 不是 ONNX 模型：没有图或未声明算子集。</translation>
    </message>
    <message>
        <source>{file} holds names that are no valid text: the file is damaged.</source>
        <translation>{file} 含有不是有效文本的名称：文件已损坏。</translation>
    </message>
    <message>
        <source>AIMET</source>
        <translation>AIMET</translation>
    </message>
    <message>
        <source>QNN overrides</source>
        <translation>QNN 覆盖</translation>
    </message>
    <message>
        <source>Weights are as after folding BatchNorms: fold them in AIMET before you load the encodings.</source>
        <translation>权重为折叠 BatchNorm 之后的：在 AIMET 中加载编码前请先折叠。</translation>
    </message>
    <message>
        <source>Convert with --float_fallback, so that tensors without an entry run in floats.</source>
        <translation>转换时请使用 --float_fallback，使没有条目的张量以浮点运行。</translation>
    </message>
    <message>
        <source>No activation meets the weight of this layer.</source>
        <translation>没有激活与该层的权重相乘。</translation>
    </message>
    <message>
        <source>This layer has no weight of its own among the encodings; it stays in floats.</source>
        <translation>编码中没有此层自己的权重；保持浮点。</translation>
    </message>
    <message>
        <source>{file} disagrees with the plan about layer {layer}; nothing was written.</source>
        <translation>{file} 与方案在层 {layer} 上不一致；未写入任何内容。</translation>
    </message>
    <message>
        <source>Read back: every one of {count} {count:layer|layers} has its precision.</source>
        <translation>回读：{count} 个层的精度全部一致。</translation>
    </message>
    <message>
        <source>{path} is no encodings file: {reason}.</source>
        <translation>{path} 不是编码文件：{reason}。</translation>
    </message>
    <message>
        <source>{path} is no encodings file: it has no member {member}.</source>
        <translation>{path} 不是编码文件：没有成员 {member}。</translation>
    </message>
    <message>
        <source>{path} is no encodings file: its encodings are neither a list nor an object.</source>
        <translation>{path} 不是编码文件：其中的编码既不是列表也不是对象。</translation>
    </message>
    <message>
        <source>{path}: the encoding of {tensor} makes no sense ({reason}).</source>
        <translation>{path}：{tensor} 的编码不合理（{reason}）。</translation>
    </message>
    <message>
        <source>{name} is missing or not known</source>
        <translation>缺少或无法识别 {name}</translation>
    </message>
    <message>
        <source>encodings {version}</source>
        <translation>编码 {version}</translation>
    </message>
    <message>
        <source>{source}: none of its parameters is a weight of {model}.</source>
        <translation>{source}：其参数都不是 {model} 的权重。</translation>
    </message>
    <message>
        <source>Activations of {bits} bits, as beside {name}, can't be run.</source>
        <translation>无法运行 {bits} 位激活（见 {name}）。</translation>
    </message>
    <message>
        <source>Weights of {bits} bits, as {name} has them, can't be run.</source>
        <translation>无法运行 {bits} 位权重（见 {name}）。</translation>
    </message>
    <message>
        <source>AMCT quantizes convolutions, Gemm and MatMul only; this layer stays FP16.</source>
        <translation>AMCT 只量化卷积、Gemm 与 MatMul；此层保持 FP16。</translation>
    </message>
    <message>
        <source>AMCT quantizes transposed convolutions over two axes without dilation only.</source>
        <translation>AMCT 只量化两轴且无膨胀的转置卷积。</translation>
    </message>
    <message>
        <source>AMCT quantizes convolutions over two axes, and over three without dilation in depth, only.</source>
        <translation>AMCT 只量化两轴卷积，以及深度方向无膨胀的三轴卷积。</translation>
    </message>
    <message>
        <source>AMCT quantizes products whose weight is a matrix on the right only.</source>
        <translation>AMCT 只量化权重为右侧矩阵的乘法。</translation>
    </message>
    <message>
        <source>AMCT quantizes Gemm without transA only.</source>
        <translation>AMCT 只量化不带 transA 的 Gemm。</translation>
    </message>
    <message>
        <source>AMCT (post-training)</source>
        <translation>AMCT（训练后）</translation>
    </message>
    <message>
        <source>AMCT calibrates by itself (IFMR); record.txt holds Mixbit's own scales for tools that take them.</source>
        <translation>AMCT 自行校准（IFMR）；record.txt 含 Mixbit 的缩放因子，供能读取它的工具使用。</translation>
    </message>
    <message>
        <source>Writing {file}</source>
        <translation>正在写入 {file}</translation>
    </message>
    <message>
        <source>Read back: {count} INT8 {count:layer|layers} in three files, as in the plan.</source>
        <translation>回读：三个文件中共 {count} 个 INT8 层，与方案一致。</translation>
    </message>
    <message>
        <source>AMCT (training)</source>
        <translation>AMCT（训练）</translation>
    </message>
    <message>
        <source>Errors measured here are those before training; AMCT trains the weights to make up for them.</source>
        <translation>此处测得的是训练前的误差；AMCT 通过训练权重来弥补。</translation>
    </message>
    <message>
        <source>{path} can't be read ({reason}).</source>
        <translation>无法读取 {path}（{reason}）。</translation>
    </message>
    <message>
        <source>{path} is no mixed-precision file of AMCT: {reason}.</source>
        <translation>{path} 不是 AMCT 的混合精度文件：{reason}。</translation>
    </message>
    <message>
        <source>mixed-precision JSON of AMCT</source>
        <translation>AMCT 的混合精度 JSON</translation>
    </message>
    <message>
        <source>Read back: {count} {count:layer|layers} in two files, as in the plan.</source>
        <translation>回读：两个文件中共 {count} 层，与方案一致。</translation>
    </message>
    <message>
        <source>Reading arrays</source>
        <translation>正在读取数组</translation>
    </message>
    <message>
        <source>Reading raw files</source>
        <translation>正在读取原始文件</translation>
    </message>
    <message>
        <source>{path} has a different number of samples per input ({sizes}).</source>
        <translation>{path} 中各输入的样本数不同（{sizes}）。</translation>
    </message>
    <message>
        <source>Input {name} wants {want}, but the raw data is said to be {got}.</source>
        <translation>输入 {name} 需要 {want}，但原始数据标明为 {got}。</translation>
    </message>
    <message>
        <source>The model has {count} inputs: give a folder with a subfolder each.</source>
        <translation>模型有 {count} 个输入：请提供每个输入一个子文件夹的文件夹。</translation>
    </message>
    <message>
        <source>No .bin file for input {name} in {folder}.</source>
        <translation>{folder} 中没有输入 {name} 的 .bin 文件。</translation>
    </message>
    <message>
        <source>{path} has {total} bytes, which is no multiple of the {size} bytes of one {what} for input {name}.</source>
        <translation>{path} 有 {total} 字节，不是输入 {name} 的一个 {what}（{size} 字节）的整数倍。</translation>
    </message>
    <message>
        <source>{path} has no array named {name}; it has {have}.</source>
        <translation>{path} 中没有名为 {name} 的数组；有 {have}。</translation>
    </message>
    <message>
        <source>No .npy file for input {name} in {folder}.</source>
        <translation>{folder} 中没有输入 {name} 的 .npy 文件。</translation>
    </message>
    <message>
        <source>{path}: input {name} wants {want}, the array is {got}; convert it first.</source>
        <translation>{path}：输入 {name} 需要 {want}，数组为 {got}；请先转换。</translation>
    </message>
    <message>
        <source>{path}: input {name} wants {want} per sample, the array is {got}.</source>
        <translation>{path}：输入 {name} 每个样本需要 {want}，数组为 {got}。</translation>
    </message>
    <message>
        <source>ATC</source>
        <translation>ATC</translation>
    </message>
    <message>
        <source>Rules on layers that ATC fuses away have no effect; atc.sh writes model.json to look them up.</source>
        <translation>对 ATC 融合掉的层设置的规则无效；atc.sh 会写出 model.json 供查询。</translation>
    </message>
    <message>
        <source>ATC calibrates INT8 layers on a device that must be reachable where atc.sh runs.</source>
        <translation>ATC 在设备上校准 INT8 层，运行 atc.sh 的地方须能访问该设备。</translation>
    </message>
    <message>
        <source>With aipp.cfg the model takes 8-bit pictures instead of normalised floats.</source>
        <translation>使用 aipp.cfg 时模型接收 8 位图片，而不是归一化的浮点数。</translation>
    </message>
    <message>
        <source>Reading {file} back</source>
        <translation>正在回读 {file}</translation>
    </message>
    <message>
        <source>No calibration samples were handed over; put one raw file per input into calibration/.</source>
        <translation>没有交付校准样本；请在 calibration/ 中为每个输入放一个原始文件。</translation>
    </message>
    <message>
        <source>Read back: {int8} INT8, {fp32} FP32 and {half} FP16 layers, as in the plan.</source>
        <translation>回读：INT8 层 {int8} 个、FP32 层 {fp32} 个、FP16 层 {half} 个，与方案一致。</translation>
    </message>
    <message>
        <source>No calibration samples were handed over; put one .bin per sample into calibration/.</source>
        <translation>没有交付校准样本；请在 calibration/ 中为每个样本放一个 .bin。</translation>
    </message>
    <message>
        <source>{path}, sample {sample} (counted from 0),</source>
        <translation>{path} 的样本 {sample}（从 0 计数）</translation>
    </message>
    <message>
        <source>{place} holds fractions, but input {name} takes {dtype}; round the values first.</source>
        <translation>{place} 含有小数，而输入 {name} 的类型是 {dtype}；请先取整。</translation>
    </message>
    <message>
        <source>{place} holds {value}, which {dtype} of input {name} can't hold; convert the data to the input's range.</source>
        <translation>{place} 含有 {value}，超出输入 {name} 的 {dtype} 范围；请把数据转换到该输入的范围。</translation>
    </message>
    <message>
        <source>{place} holds values for input {name} that are not finite (NaN or Inf); mend it or take it out.</source>
        <translation>{place} 给输入 {name} 的值含 NaN 或 Inf；请修正或去掉该样本。</translation>
    </message>
    <message>
        <source>{path} has no column {column}; it has: {columns}.</source>
        <translation>{path} 没有 {column} 列；现有列：{columns}。</translation>
    </message>
    <message>
        <source>{path} is empty.</source>
        <translation>{path} 是空文件。</translation>
    </message>
    <message>
        <source>{path} is no table: its first line has no columns.</source>
        <translation>{path} 不是表格：首行没有列。</translation>
    </message>
    <message>
        <source>{path} has {size} MiB, more than the {most} MiB that are read; give the part of a few runs.</source>
        <translation>{path} 有 {size} MiB，超过可读取的 {most} MiB；请只提供几次运行的部分。</translation>
    </message>
    <message>
        <source>{path}, line {line}: {column} is {text}, and a number is expected.</source>
        <translation>{path} 第 {line} 行：{column} 为 {text}，此处应为数字。</translation>
    </message>
    <message>
        <source>{path}, line {line} has {have} columns and the header {want}; the file is damaged or cut off.</source>
        <translation>{path} 第 {line} 行有 {have} 列，而表头有 {want} 列；文件已损坏或被截断。</translation>
    </message>
    <message>
        <source>{path} is no table ({reason}).</source>
        <translation>{path} 不是表格（{reason}）。</translation>
    </message>
    <message>
        <source>{path} claims {width}×{height} pixels, more than {most} million; make it smaller first.</source>
        <translation>{path} 声明为 {width}×{height} 像素，超过 {most} 百万；请先缩小。</translation>
    </message>
    <message>
        <source>{path} holds floats outside 0 to 1, whose range is unknown; save it with 8 or 16 bits a channel.</source>
        <translation>{path} 的浮点像素超出 0 到 1，取值范围未知；请另存为每通道 8 位或 16 位。</translation>
    </message>
    <message>
        <source>{path} holds {bits}-bit integers, whose range is unknown; save it with 8 or 16 bits a channel.</source>
        <translation>{path} 的像素是 {bits} 位整数，取值范围未知；请另存为每通道 8 位或 16 位。</translation>
    </message>
    <message>
        <source>{path} of {wide}×{tall} pixels is too long and narrow to cover {width}×{height}; crop it first.</source>
        <translation>{path} 为 {wide}×{tall} 像素，过于细长，无法覆盖 {width}×{height}；请先裁剪。</translation>
    </message>
    <message>
        <source>dopt (Kirin)</source>
        <translation>dopt（麒麟）</translation>
    </message>
    <message>
        <source>Input {name} holds {dtype}, and dopt calibrates with float inputs only.</source>
        <translation>输入 {name} 的类型是 {dtype}，而 dopt 只能用浮点输入校准。</translation>
    </message>
    <message>
        <source>dopt quantizes convolutions, Gemm and MatMul only; this layer stays FP16.</source>
        <translation>dopt 只量化卷积、Gemm 与 MatMul；此层保持 FP16。</translation>
    </message>
    <message>
        <source>The phone has no convolution over three axes in integers; this layer stays FP16.</source>
        <translation>手机没有整数的三轴卷积；此层保持 FP16。</translation>
    </message>
    <message>
        <source>dopt quantizes products whose weight is a matrix on the right only.</source>
        <translation>dopt 只量化权重为右侧矩阵的乘法。</translation>
    </message>
    <message>
        <source>No calibration samples were handed over; put one .bin per input into calibration/.</source>
        <translation>没有交付校准样本；请在 calibration/ 中为每个输入放一个 .bin。</translation>
    </message>
    <message>
        <source>{file} doesn't hold the samples; nothing was written.</source>
        <translation>{file} 与样本不符；未写入任何内容。</translation>
    </message>
    <message>
        <source>Read back: {count} {count:layer stays|layers stay} float, as in the plan; calibration data as given.</source>
        <translation>回读：{count} 个层保持浮点，与方案一致；校准数据无误。</translation>
    </message>
    <message>
        <source>dopt_lm works on the PyTorch model: the names must be those of its modules, see names.csv.</source>
        <translation>dopt_lm 作用于 PyTorch 模型：名称须为其模块名，见 names.csv。</translation>
    </message>
    <message>
        <source>BF16 is not handed to {target}; this layer runs in {scheme}.</source>
        <translation>BF16 不交给 {target}；该层以 {scheme} 运行。</translation>
    </message>
    <message>
        <source>dopt_lm runs in FP16 what it doesn't quantize.</source>
        <translation>dopt_lm 以 FP16 运行不量化的部分。</translation>
    </message>
    <message>
        <source>dopt_lm has embeddings of 8 bits or FP16, nothing between.</source>
        <translation>dopt_lm 的嵌入层只有 8 位或 FP16，没有介于两者之间的。</translation>
    </message>
    <message>
        <source>dopt_lm quantizes embeddings per row to INT8, by its own method.</source>
        <translation>dopt_lm 用自己的方法将嵌入逐行量化为 INT8。</translation>
    </message>
    <message>
        <source>dopt_lm quantizes linear layers, convolutions and embeddings only; this layer stays FP16.</source>
        <translation>dopt_lm 只量化线性层、卷积与嵌入；此层保持 FP16。</translation>
    </message>
    <message>
        <source>dopt_lm</source>
        <translation>dopt_lm</translation>
    </message>
    <message>
        <source>{path} is no configuration of dopt_lm: {reason}.</source>
        <translation>{path} 不是 dopt_lm 的配置：{reason}。</translation>
    </message>
    <message>
        <source>{path} is no configuration of dopt_lm: it has no member {member}.</source>
        <translation>{path} 不是 dopt_lm 的配置：没有成员 {member}。</translation>
    </message>
    <message>
        <source>configuration of dopt_lm</source>
        <translation>dopt_lm 的配置</translation>
    </message>
    <message>
        <source>{path}: {name} has data type {number}, which is unknown; convert the dump to .npy first.</source>
        <translation>{path}：{name} 的数据类型 {number} 未知；请先将转储转换为 .npy。</translation>
    </message>
    <message>
        <source>{path} is truncated, or is no raw Ascend dump: its header does not fit.</source>
        <translation>{path} 被截断，或不是昇腾原始转储：文件头不符。</translation>
    </message>
    <message>
        <source>{path} is no raw Ascend dump: its header is damaged.</source>
        <translation>{path} 不是昇腾原始转储：文件头已损坏。</translation>
    </message>
    <message>
        <source>{path} is truncated: its tensors take {want} bytes and it has {have}; copy it again.</source>
        <translation>{path} 被截断：其张量需要 {want} 字节，实有 {have} 字节；请重新复制。</translation>
    </message>
    <message>
        <source>{path}: shape {shape} needs {want} bytes and the tensor has {have}; the dump is mixed up.</source>
        <translation>{path}：形状 {shape} 需要 {want} 字节，而张量有 {have} 字节；转储已错乱。</translation>
    </message>
    <message>
        <source>{path}: {layout} {stored} can't hold {logical}; the dump is mixed up, or of a format not known here.</source>
        <translation>{path}：{layout} {stored} 无法容纳 {logical}；转储已错乱，或为此处未知的格式。</translation>
    </message>
    <message>
        <source>{a} and {b} have no layer name in common (they begin with {first} and {second}); choose others.</source>
        <translation>{a} 与 {b} 没有相同的层名（分别以 {first} 与 {second} 开头）；请另选。</translation>
    </message>
    <message>
        <source>Comparing {name}</source>
        <translation>正在比对 {name}</translation>
    </message>
    <message>
        <source>Sample {sample} had other inputs in the two dumps: the errors mean little.</source>
        <translation>两份转储中样本 {sample} 的输入不同：误差意义不大。</translation>
    </message>
    <message>
        <source>{path} is damaged, or is no .npz file ({reason}).</source>
        <translation>{path} 已损坏，或不是 .npz 文件（{reason}）。</translation>
    </message>
    <message>
        <source>{path}: {name} can't be read ({reason}).</source>
        <translation>{path}：无法读取 {name}（{reason}）。</translation>
    </message>
    <message>
        <source>{path} is too large for one tensor in protobuf; give it as .npy.</source>
        <translation>{path} 对 protobuf 中的单个张量来说过大；请以 .npy 提供。</translation>
    </message>
    <message>
        <source>{path} holds no ONNX tensor.</source>
        <translation>{path} 中没有 ONNX 张量。</translation>
    </message>
    <message>
        <source>{path} has {have} bytes, but its name says {dtype} {shape}, which takes {want}; it is truncated.</source>
        <translation>{path} 有 {have} 字节，但其名称表示 {dtype} {shape}，需要 {want} 字节；文件被截断。</translation>
    </message>
    <message>
        <source>{kernel} has no output {number}.</source>
        <translation>{kernel} 没有第 {number} 个输出。</translation>
    </message>
    <message>
        <source>{kernel} gives {want}, and this is {have}: another input shape, or another layer.</source>
        <translation>{kernel} 输出 {want}，而这里是 {have}：输入形状不同，或是另一层。</translation>
    </message>
    <message>
        <source>Seen as {want}; it is stored as {have}.</source>
        <translation>按 {want} 解读；存储为 {have}。</translation>
    </message>
    <message>
        <source>The weight of {kernel} is {want}, and this is {have}.</source>
        <translation>{kernel} 的权重是 {want}，而这里是 {have}。</translation>
    </message>
    <message>
        <source>Another tensor fits this layer better.</source>
        <translation>另一个张量与此层更相符。</translation>
    </message>
    <message>
        <source>{path} does not exist; give the folder or the file of a dump.</source>
        <translation>{path} 不存在；请给出转储的文件夹或文件。</translation>
    </message>
    <message>
        <source>{count} more {count:file|files} can't be read.</source>
        <translation>还有 {count} 个文件无法读取。</translation>
    </message>
    <message>
        <source>{count} {count:file is no dump and was|files are no dumps and were} passed over.</source>
        <translation>{count} 个文件不是转储，已跳过。</translation>
    </message>
    <message>
        <source>{path} holds no dump: expected .npy, .npz, .pb, raw Ascend dumps or MindSpore Lite .bin files.</source>
        <translation>{path} 中没有转储：应为 .npy、.npz、.pb、昇腾原始转储或 MindSpore Lite 的 .bin 文件。</translation>
    </message>
    <message>
        <source>{path} is unfinished; dump again to complete it.</source>
        <translation>{path} 尚未完成；再次转储即可补全。</translation>
    </message>
    <message>
        <source>{path} is unfinished and holds no tensor yet; dump again to complete it.</source>
        <translation>{path} 尚未完成，且还没有张量；再次转储即可补全。</translation>
    </message>
    <message>
        <source>{path} holds more than {most} files; choose the folder of one run.</source>
        <translation>{path} 中的文件超过 {most} 个；请选择单次运行的文件夹。</translation>
    </message>
    <message>
        <source>{count} {count:name stands|names stand} for several tensors (first: {name}); the latest of each is used.</source>
        <translation>{count} 个名称对应多个张量（首个：{name}）；各取最新的一个。</translation>
    </message>
    <message>
        <source>Only {count} {count:kernel is|kernels are} measured and matched; a fit needs {least} or more.</source>
        <translation>只有 {count} 个算子被测量并匹配；拟合至少需要 {least} 个。</translation>
    </message>
    <message>
        <source>Fitting the device profile</source>
        <translation>正在拟合设备档案</translation>
    </message>
    <message>
        <source>Measured times must be positive numbers; take rows without a time out.</source>
        <translation>实测时间必须为正数；请去掉没有时间的行。</translation>
    </message>
    <message>
        <source>{meaning} ({key}) can't be told apart from others by these runs, so it keeps its value; measure models that lean on it more.</source>
        <translation>这些运行无法将“{meaning}”（{key}）与其他常数区分开，因此保留原值；请测量更依赖它的模型。</translation>
    </message>
    <message>
        <source>{meaning} ({key}) changes nothing in these runs, so it keeps its value; measure a model that uses it.</source>
        <translation>“{meaning}”（{key}）对这些运行没有影响，因此保留原值；请测量会用到它的模型。</translation>
    </message>
    <message>
        <source>{target} rejects models that are quantized already, and {model} has {count} such nodes (the first is {node}); start from the float model.</source>
        <translation>{target} 拒绝已量化的模型，而 {model} 有 {count} 个此类节点（第一个是 {node}）；请从浮点模型开始。</translation>
    </message>
    <message>
        <source>{target} wants fixed shapes, and in {model} the shape of {tensor} depends on the input values.</source>
        <translation>{target} 需要固定形状，而 {model} 中 {tensor} 的形状取决于输入值。</translation>
    </message>
    <message>
        <source>The model was converted from opset {own} to {wanted}.</source>
        <translation>模型已从 opset {own} 转换到 {wanted}。</translation>
    </message>
    <message>
        <source>The model is at opset {own} and this target reads {wanted}; it could not be converted: export it again at opset {wanted}.</source>
        <translation>模型为 opset {own}，此目标读取 {wanted}；无法转换：请以 opset {wanted} 重新导出。</translation>
    </message>
    <message>
        <source>The model is at opset {own} and this target reads {first} to {last}; it could not be converted: export it again at opset {last}.</source>
        <translation>模型为 opset {own}，此目标读取 {first} 到 {last}；无法转换：请以 opset {last} 重新导出。</translation>
    </message>
    <message>
        <source>{file}: ONNX Runtime can't run the model that was to be handed over ({reason}); nothing was written.</source>
        <translation>{file}：ONNX Runtime 无法运行要交付的模型（{reason}）；未写入任何内容。</translation>
    </message>
    <message>
        <source>{file}: output {name} is not as in the model; nothing was written.</source>
        <translation>{file}：输出 {name} 与模型不符；未写入任何内容。</translation>
    </message>
    <message>
        <source>{path} is a file, and this export writes a folder; choose another name.</source>
        <translation>{path} 是文件，而此导出写入文件夹；请换一个名称。</translation>
    </message>
    <message>
        <source>The folder {path} holds other files; choose a new or an empty folder, nothing was written.</source>
        <translation>文件夹 {path} 中有其他文件；请选择新的或空的文件夹，未写入任何内容。</translation>
    </message>
    <message>
        <source>No layer has this name.</source>
        <translation>没有层叫此名称。</translation>
    </message>
    <message>
        <source>Named after one of the nodes that are fused here.</source>
        <translation>以此处被融合的某个节点命名。</translation>
    </message>
    <message>
        <source>A value inside {kernel}, which is fused: only its output can be compared.</source>
        <translation>{kernel} 内部的值，该算子已融合：只能比对其输出。</translation>
    </message>
    <message>
        <source>Only part of the name agrees; check it.</source>
        <translation>名称只有一部分相同；请核对。</translation>
    </message>
    <message>
        <source>{name} fits several layers: {layers}; choose one.</source>
        <translation>{name} 与多个层相符：{layers}；请选择其一。</translation>
    </message>
    <message>
        <source>{path} is of no known kind: it is neither an ONNX model nor JSON ({reason}).</source>
        <translation>{path} 类型未知：既不是 ONNX 模型也不是 JSON（{reason}）。</translation>
    </message>
    <message>
        <source>plan file</source>
        <translation>方案文件</translation>
    </message>
    <message>
        <source>{path} has {size:.1f} GB; files of at most 1 GB are read as a plan.</source>
        <translation>{path} 有 {size:.1f} GB；最多读取 1 GB 的方案文件。</translation>
    </message>
    <message>
        <source>{path} is of no known kind; a plan can come from rule files, AMCT's mixed-precision JSON, dopt_lm's configuration, AIMET encodings, QNN overrides, quantized ONNX models and plan files.</source>
        <translation>{path} 类型未知；方案可来自规则文件、AMCT 的混合精度 JSON、dopt_lm 的配置、AIMET 编码、QNN 覆盖、已量化的 ONNX 模型与方案文件。</translation>
    </message>
    <message>
        <source>{path} has {count} {count:latency|latencies}; {least} or more are needed.</source>
        <translation>{path} 有 {count} 个时延；至少需要 {least} 个。</translation>
    </message>
    <message>
        <source>{path} has {count} latencies; at most {most} are read.</source>
        <translation>{path} 有 {count} 个延迟值；最多读取 {most} 个。</translation>
    </message>
    <message>
        <source>{path}: run {run} is {value:g}, and a latency is above zero.</source>
        <translation>{path}：第 {run} 次运行的值为 {value:g}，而延迟必须大于零。</translation>
    </message>
    <message>
        <source>{path}: run {run} would have taken {value:.3g} µs, more than a day; check the unit.</source>
        <translation>{path}：第 {run} 次运行竟需 {value:.3g} µs，超过一天；请检查单位。</translation>
    </message>
    <message>
        <source>The first runs are slower ({first} then {last}): leave them out, or warm up before it counts.</source>
        <translation>最初的运行较慢（先 {first}，后 {last}）：请排除它们，或在计时前预热。</translation>
    </message>
    <message>
        <source>From run {run} on latency rises from {first} to {last} and stays: the clock was lowered. Run less often, cool the device, or plan with the later figure.</source>
        <translation>从第 {run} 次运行起，时延从 {first} 升至 {last} 并保持：频率被降低。请降低运行频度、加强散热，或按后者规划。</translation>
    </message>
    <message>
        <source>Latency drifts from {first} to {last}: measure longer, until it stays.</source>
        <translation>时延从 {first} 漂移到 {last}：请延长测量，直到稳定。</translation>
    </message>
    <message>
        <source>Every {period} runs latency moves by {amplitude}: look for a timer, a refresh or a garbage collector with that period.</source>
        <translation>每 {period} 次运行时延变动 {amplitude}：请查找具有该周期的定时器、刷新或垃圾回收。</translation>
    </message>
    <message>
        <source>{count} of {all} runs {count:stands|stand} out, the worst is run {run} with {time}: other apps or the scheduler; plan with the 99th percentile of {p99}.</source>
        <translation>{all} 次运行中有 {count} 次异常，最差为第 {run} 次，{time}：源于其他应用或调度器；请按 99 分位 {p99} 规划。</translation>
    </message>
    <message>
        <source>Latency spreads widely (median {median}, 95th percentile {p95}) without a pattern: ask for a higher priority or a fixed clock.</source>
        <translation>时延分散（中位数 {median}，95 分位 {p95}）且无规律：请申请更高优先级或固定频率。</translation>
    </message>
    <message>
        <source>Latency is calm: {median} in the middle, {p99} at the 99th percentile.</source>
        <translation>时延平稳：中位数 {median}，99 分位 {p99}。</translation>
    </message>
    <message>
        <source>{path} is no JSON ({reason}).</source>
        <translation>{path} 不是 JSON（{reason}）。</translation>
    </message>
    <message>
        <source>{path}, line {line}: {text} is no latency.</source>
        <translation>{path} 第 {line} 行：{text} 不是时延。</translation>
    </message>
    <message>
        <source>{count} {count:sample takes|samples take} {bytes} bytes, more than the temporary folder has room for; use fewer samples.</source>
        <translation>{count} 个样本需要 {bytes} 字节，临时文件夹放不下；请减少样本数。</translation>
    </message>
    <message>
        <source>The name {name} means more than one layer ({first}, {second}); use a name that is unique.</source>
        <translation>名称 {name} 对应多个层（{first}、{second}）；请使用唯一的名称。</translation>
    </message>
    <message>
        <source>{source}: {first} and {second} are the same layer ({layer}) but ask for other schemes.</source>
        <translation>{source}：{first} 与 {second} 是同一层（{layer}），却要求不同的格式。</translation>
    </message>
    <message>
        <source>{source}: none of its {count} layers is in {model}; the first is {name}.</source>
        <translation>{source}：其 {count} 个层都不在 {model} 中；第一个是 {name}。</translation>
    </message>
    <message>
        <source>{path} names none of the pictures; it has {names}, the first picture is {file}.</source>
        <translation>{path} 没有列出任何一张图片；其中有 {names}，而第一张图片是 {file}。</translation>
    </message>
    <message>
        <source>{path} has no label for {count} of {all} {all:picture|pictures}.</source>
        <translation>{path} 缺少 {all} 张图片中 {count} 张的标签。</translation>
    </message>
    <message>
        <source>{path}: labels must be whole numbers, one row per sample; got {got} for {count} samples.</source>
        <translation>{path}：labels 应为整数，每个样本一行；{count} 个样本得到 {got}。</translation>
    </message>
    <message>
        <source>{path} is in an unknown text encoding; save it as UTF-8.</source>
        <translation>{path} 的文本编码无法识别；请保存为 UTF-8。</translation>
    </message>
    <message>
        <source>{path}: labels must be whole numbers, got {word}.</source>
        <translation>{path}：标签必须是整数，实际是 {word}。</translation>
    </message>
    <message>
        <source>{path} can't be read as NumPy data ({reason}).</source>
        <translation>无法将 {path} 读作 NumPy 数据（{reason}）。</translation>
    </message>
    <message>
        <source>{path} can't be read as a picture ({reason}).</source>
        <translation>无法将 {path} 读作图片（{reason}）。</translation>
    </message>
    <message>
        <source>MindSpore Lite</source>
        <translation>MindSpore Lite</translation>
    </message>
    <message>
        <source>4-D inputs of the converted model are in NHWC order.</source>
        <translation>转换后模型的 4 维输入为 NHWC 顺序。</translation>
    </message>
    <message>
        <source>Additions, pooling and the like between INT8 layers are quantized as well.</source>
        <translation>INT8 层之间的加法、池化等也会被量化。</translation>
    </message>
    <message>
        <source>One conversion of MindSpore Lite has one width, here 4 bits; this layer stays FP16.</source>
        <translation>MindSpore Lite 一次转换只有一种位宽，此处为 4 位；此层保持 FP16。</translation>
    </message>
    <message>
        <source>MindSpore Lite quantizes convolutions and matrix products only; this layer stays FP16.</source>
        <translation>MindSpore Lite 只量化卷积与矩阵乘；此层保持 FP16。</translation>
    </message>
    <message>
        <source>MindSpore Lite has no convolution over three axes; this layer stays in floats.</source>
        <translation>MindSpore Lite 没有三轴卷积；此层保持浮点。</translation>
    </message>
    <message>
        <source>MindSpore Lite quantizes products whose weight is a matrix on the right only.</source>
        <translation>MindSpore Lite 只量化权重为右侧矩阵的乘法。</translation>
    </message>
    <message>
        <source>MindSpore Lite leaves depthwise convolutions in floats where it quantizes weights only.</source>
        <translation>MindSpore Lite 仅量化权重时，深度卷积保持浮点。</translation>
    </message>
    <message>
        <source>{count} {op} {count:is|are} spelled with operators that the converter reads as ONNX means them.</source>
        <translation>{count} 个 {op} 改用转换器能按 ONNX 含义读取的算子写出。</translation>
    </message>
    <message>
        <source>Read back: {count} quantized {count:layer|layers}, as in the plan.</source>
        <translation>回读：{count} 个量化层，与方案一致。</translation>
    </message>
    <message>
        <source>{path}: nothing is known of {value} yet; export again when it has been measured.</source>
        <translation>{path}：尚无 {value} 的结果；测量后请重新导出。</translation>
    </message>
    <message>
        <source>Read back: {count} {count:node|nodes} of {kernels} {kernels:layer|layers}.</source>
        <translation>回读：{kernels} 个层的 {count} 个节点。</translation>
    </message>
    <message>
        <source>{path} has no operator in it.</source>
        <translation>{path} 中没有运算。</translation>
    </message>
    <message>
        <source>MatMulNBits takes groups of a power of two from 16 on; {asked} becomes {gets}.</source>
        <translation>MatMulNBits 的分组须为 16 起的 2 的幂；{asked} 改为 {gets}。</translation>
    </message>
    <message>
        <source>Run by ONNX Runtime: {count} MatMulNBits {count:node|nodes}, outputs as those of the QDQ spelling.</source>
        <translation>ONNX Runtime 已运行：{count} 个 MatMulNBits 节点，输出与 QDQ 写法一致。</translation>
    </message>
    <message>
        <source>{file}: output {name} differs from the QDQ spelling by {part:.1%}; the file was not written.</source>
        <translation>{file}：输出 {name} 与 QDQ 写法相差 {part:.1%}；文件未写入。</translation>
    </message>
    <message>
        <source>{target} has no integer weights of {bits} bits for this layer; it stays in floats.</source>
        <translation>{target} 对此层没有 {bits} 位整数权重；保持浮点。</translation>
    </message>
    <message>
        <source>{target} rounds the weights by itself, to nearest.</source>
        <translation>{target} 自行对权重就近舍入。</translation>
    </message>
    <message>
        <source>{target} runs in {scheme} what it doesn't quantize.</source>
        <translation>{target} 以 {scheme} 运行不量化的部分。</translation>
    </message>
    <message>
        <source>{target} has no {bits}-bit weights for this layer; they become INT{more}.</source>
        <translation>{target} 对此层没有 {bits} 位权重；改为 INT{more}。</translation>
    </message>
    <message>
        <source>tensor</source>
        <translation>张量</translation>
    </message>
    <message>
        <source>output channel</source>
        <translation>输出通道</translation>
    </message>
    <message>
        <source>group</source>
        <translation>分组</translation>
    </message>
    <message>
        <source>{target} gives the weights of this layer one scale per {unit}.</source>
        <translation>{target} 对此层权重按{unit}给一个缩放因子。</translation>
    </message>
    <message>
        <source>{target} knows no groups of {group}; it takes {gets}.</source>
        <translation>{target} 不支持分组 {group}；采用 {gets}。</translation>
    </message>
    <message>
        <source>{target} stores weights without zero points.</source>
        <translation>{target} 存储的权重不带零点。</translation>
    </message>
    <message>
        <source>{target} stores weights with zero points.</source>
        <translation>{target} 存储的权重带零点。</translation>
    </message>
    <message>
        <source>{target} runs float activations in FP16.</source>
        <translation>{target} 以 FP16 运行浮点激活。</translation>
    </message>
    <message>
        <source>{target} quantizes weights only; activations stay FP16.</source>
        <translation>{target} 只量化权重；激活保持 FP16。</translation>
    </message>
    <message>
        <source>{target} quantizes activations together with weights, to INT{bits}.</source>
        <translation>{target} 将激活与权重一起量化为 INT{bits}。</translation>
    </message>
    <message>
        <source>{target} has no {bits}-bit activations beside these weights; they become INT{gets}.</source>
        <translation>{target} 对这些权重没有 {bits} 位激活；改为 INT{gets}。</translation>
    </message>
    <message>
        <source>{target} takes activation ranges from calibration, not from each run.</source>
        <translation>{target} 的激活范围来自校准，而不是每次运行。</translation>
    </message>
    <message>
        <source>{target} quantizes activations without zero points.</source>
        <translation>{target} 量化激活时不带零点。</translation>
    </message>
    <message>
        <source>{target} quantizes activations with zero points.</source>
        <translation>{target} 量化激活时带零点。</translation>
    </message>
    <message>
        <source>NNCF</source>
        <translation>NNCF</translation>
    </message>
    <message>
        <source>NNCF quantizes convolutions, Gemm and MatMul; this layer stays in floats.</source>
        <translation>NNCF 量化卷积、Gemm 与 MatMul；此层保持浮点。</translation>
    </message>
    <message>
        <source>NNCF quantizes products whose weight is a matrix on the right; this layer stays in floats.</source>
        <translation>NNCF 量化权重为右侧矩阵的乘法；此层保持浮点。</translation>
    </message>
    <message>
        <source>NNCF knows weights of 4 and 8 bits.</source>
        <translation>NNCF 支持 4 位与 8 位权重。</translation>
    </message>
    <message>
        <source>NNCF leaves activations in FP32 where it compresses weights; groups must divide the rows.</source>
        <translation>NNCF 压缩权重时激活保持 FP32；分组须整除行长。</translation>
    </message>
    <message>
        <source>ONNX Runtime quantization</source>
        <translation>ONNX Runtime 量化</translation>
    </message>
    <message>
        <source>The script needs onnxruntime with onnx, and onnx_ir for the second pass.</source>
        <translation>脚本需要 onnxruntime 与 onnx，第二遍还需要 onnx_ir。</translation>
    </message>
    <message>
        <source>The recipe quantizes convolutions, Gemm and MatMul only; this layer stays FP32.</source>
        <translation>该脚本只量化卷积、Gemm 与 MatMul；此层保持 FP32。</translation>
    </message>
    <message>
        <source>The recipe quantizes products whose weight is a matrix on the right only; this layer stays FP32.</source>
        <translation>该脚本只量化权重为右侧矩阵的乘法；此层保持 FP32。</translation>
    </message>
    <message>
        <source>MatMulNBitsQuantizer leaves activations in FP32 and takes groups of 16 to 256.</source>
        <translation>MatMulNBitsQuantizer 的激活保持 FP32，分组为 16 到 256。</translation>
    </message>
    <message>
        <source>{path} quantizes none of the layers of {model}.</source>
        <translation>{path} 没有量化 {model} 的任何层。</translation>
    </message>
    <message>
        <source>quantized model {file}</source>
        <translation>量化模型 {file}</translation>
    </message>
    <message>
        <source>{path} can't be read as options of pictures: {reason}.</source>
        <translation>无法将 {path} 读作图片选项：{reason}。</translation>
    </message>
    <message>
        <source>Pictures for input {name} can't be resized to {size}; give a height and a width from 1 to {most}.</source>
        <translation>输入 {name} 的图片不能缩放到 {size}；高和宽须在 1 到 {most} 之间。</translation>
    </message>
    <message>
        <source>The standard deviation of input {name} must be positive numbers.</source>
        <translation>输入 {name} 的标准差必须是正数。</translation>
    </message>
    <message>
        <source>Mean and scale of input {name} must be numbers, and the scale not zero.</source>
        <translation>输入 {name} 的均值和缩放系数必须是数，且缩放系数不为零。</translation>
    </message>
    <message>
        <source>Pictures can't fill input {name} of shape {shape}; give a .npz file with one array per input.</source>
        <translation>图片无法填充形状为 {shape} 的输入 {name}；请提供每个输入一个数组的 .npz 文件。</translation>
    </message>
    <message>
        <source>The options of the pictures in {path} are for input {name}, which the model lacks; name one of its inputs: {inputs}.</source>
        <translation>{path} 中图片的选项针对输入 {name}，但模型没有该输入；请改为其输入之一：{inputs}。</translation>
    </message>
    <message>
        <source>Reading pictures</source>
        <translation>正在读取图片</translation>
    </message>
    <message>
        <source>Nothing says how pictures become input {name}: they are stretched to its size, with channels in the order RGB and pixels {range}. If the model was trained otherwise, put a preprocess.json beside the pictures.</source>
        <translation>没有说明图片如何变成输入 {name}：图片被拉伸到输入的尺寸，通道顺序按 RGB，像素值为 {range}。如果模型训练时用的是别的方式，请在图片旁放一个 preprocess.json。</translation>
    </message>
    <message>
        <source>Input {name} has shape {shape}; pictures need four dimensions (batch, channels, height, width).</source>
        <translation>输入 {name} 的形状为 {shape}；图片需要四个维度（批、通道、高、宽）。</translation>
    </message>
    <message>
        <source>Input {name} of shape {shape} has {planes} channels in layout {layout}, but {channels} gives {given}; check layout and channels.</source>
        <translation>形状为 {shape} 的输入 {name} 在 {layout} 布局下有 {planes} 个通道，而 {channels} 给出 {given} 个；请检查布局与通道。</translation>
    </message>
    <message>
        <source>{path} is {got} pixels after resizing, but input {name} wants {want} (height × width); change resize.</source>
        <translation>{path} 缩放后为 {got} 像素，但输入 {name} 需要 {want}（高 × 宽）；请修改缩放。</translation>
    </message>
    <message>
        <source>Scale, mean and std of input {name} lead beyond the range of floats.</source>
        <translation>输入 {name} 的缩放系数、均值和标准差使数值超出浮点范围。</translation>
    </message>
    <message>
        <source>Input {name} has {planes} channels, but mean or std has {count} values; give one for each.</source>
        <translation>输入 {name} 有 {planes} 个通道，而均值或标准差有 {count} 个值；请每个通道给一个。</translation>
    </message>
    <message>
        <source>The model has {count} inputs: give a subfolder for each; {folder} has none named {name}.</source>
        <translation>模型有 {count} 个输入：请为每个输入提供子文件夹；{folder} 中没有 {name}。</translation>
    </message>
    <message>
        <source>To get the errors that are shown, run the file with ONNX Runtime's session setting session.disable_quant_qdq=1; it stands in the model's metadata, too.</source>
        <translation>要得到所显示的误差，须用 ONNX Runtime 会话设置 session.disable_quant_qdq=1 运行该文件；该设置也写在模型的元数据中。</translation>
    </message>
    <message>
        <source>Without it, ONNX Runtime rounds the activations beside INT4 weights to 8 bits.</source>
        <translation>否则 ONNX Runtime 会把 INT4 权重旁的激活舍入为 8 位。</translation>
    </message>
    <message>
        <source>Without it, ONNX Runtime multiplies 8-bit activations and weights as integers, whose products saturate in pairs on x86 processors without VNNI: errors can be several dB worse than shown.</source>
        <translation>否则 ONNX Runtime 会以整数相乘 8 位激活与权重；在没有 VNNI 的 x86 处理器上，乘积会成对饱和：误差可能比所显示的差几 dB。</translation>
    </message>
    <message>
        <source>{name} and {more} more: the scale of the input stays a multiplication of its own, as what is in front of it or beside it has another scheme. Errors are as shown; the latency of the product is not counted.</source>
        <translation>{name} 及另外 {more} 层：输入的缩放保留为单独的乘法，因为其前面或并列的层采用了其他方案。误差与所示一致；该乘法的延迟未计入。</translation>
    </message>
    <message>
        <source>Run once by ONNX Runtime.</source>
        <translation>已用 ONNX Runtime 运行一次。</translation>
    </message>
    <message>
        <source>{path}: the file doesn't hold the plan; nothing was written.</source>
        <translation>{path}：文件内容与方案不符；未写入任何内容。</translation>
    </message>
    <message>
        <source>Read back: the same plan.</source>
        <translation>已读回：方案一致。</translation>
    </message>
    <message>
        <source>Replace it by operators that the device has, or take it out of the model and run it yourself.</source>
        <translation>请换成设备支持的运算，或将其移出模型自行执行。</translation>
    </message>
    <message>
        <source>{kernel} runs on the CPU between kernels of the NPU</source>
        <translation>{kernel} 在 NPU 算子之间由 CPU 执行</translation>
    </message>
    <message>
        <source>{kernel} runs on the CPU</source>
        <translation>{kernel} 由 CPU 执行</translation>
    </message>
    <message>
        <source>{why} It takes {time}, {part} of the run.</source>
        <translation>{why}耗时 {time}，占运行的 {part}。</translation>
    </message>
    <message>
        <source>{count} more {count:kernel runs|kernels run} on the CPU</source>
        <translation>另有 {count} 个算子由 CPU 执行</translation>
    </message>
    <message>
        <source>{kernels}: {time}, {part} of the run.</source>
        <translation>{kernels}：{time}，占运行的 {part}。</translation>
    </message>
    <message>
        <source>{scheme} makes {count} {count:kernel|kernels} slower than FP16</source>
        <translation>{scheme} 使 {count} 个算子比 FP16 更慢</translation>
    </message>
    <message>
        <source>Give them FP16, unless the smaller package is worth it.</source>
        <translation>除非更小的包值得，否则请用 FP16。</translation>
    </message>
    <message>
        <source>{count} {count:island|islands} of low precision {count:costs more than it saves|cost more than they save}</source>
        <translation>{count} 个低精度孤岛得不偿失</translation>
    </message>
    <message>
        <source>{kernels}: their conversions cost {time} more than they win.</source>
        <translation>{kernels}：其转换多耗费 {time}，超过所得。</translation>
    </message>
    <message>
        <source>Quantize their neighbours too, or give the islands FP16.</source>
        <translation>请将相邻算子也量化，或将孤岛设为 FP16。</translation>
    </message>
    <message>
        <source>{count} {count:kernel is|kernels are} launch-bound</source>
        <translation>{count} 个算子受启动开销限制</translation>
    </message>
    <message>
        <source>All launches take {time}, {part} of the run.</source>
        <translation>所有启动共 {time}，占运行的 {part}。</translation>
    </message>
    <message>
        <source>Fewer bits don't help them; fewer kernels do: fuse, or take small branches out.</source>
        <translation>减少位宽无济于事，减少算子才有用：请融合或去掉小分支。</translation>
    </message>
    <message>
        <source>the invocation</source>
        <translation>调用开销</translation>
    </message>
    <message>
        <source>launches</source>
        <translation>算子下发</translation>
    </message>
    <message>
        <source>kernels on the CPU</source>
        <translation>CPU 上的算子</translation>
    </message>
    <message>
        <source>the first transfer</source>
        <translation>首次搬运</translation>
    </message>
    <message>
        <source>The NPU works {part} of the run</source>
        <translation>NPU 在运行中的工作时间占 {part}</translation>
    </message>
    <message>
        <source>{time} of each run nothing works, mostly waiting for {cause}.</source>
        <translation>每次运行有 {time} 无单元工作，主要原因：{cause}。</translation>
    </message>
    <message>
        <source>Larger batches or fewer, larger kernels fill the gaps; the Timeline shows where they are.</source>
        <translation>更大的批或更少更大的算子可填补空隙；时间线显示其位置。</translation>
    </message>
    <message>
        <source>{rate} runs per second take {part} of the time</source>
        <translation>每秒 {rate} 次运行占用 {part} 的时间</translation>
    </message>
    <message>
        <source>One run takes {time} in the end.</source>
        <translation>最终每次运行需 {time}。</translation>
    </message>
    <message>
        <source>Plan for at most 80 %: run less often, or make the model faster.</source>
        <translation>请按不超过 80 % 规划：降低运行频度，或加快模型。</translation>
    </message>
    <message>
        <source>The device throttles after {time} min</source>
        <translation>设备在 {time}（分:秒）后降频</translation>
    </message>
    <message>
        <source>Latency {time} at the end, skin {skin} °C.</source>
        <translation>最终时延 {time}，表面 {skin} °C。</translation>
    </message>
    <message>
        <source>Run less often, or use fewer bits where that saves energy.</source>
        <translation>请降低运行频度，或在能节能处减少位宽。</translation>
    </message>
    <message>
        <source>The package is {over} over its limit</source>
        <translation>包超出上限 {over}</translation>
    </message>
    <message>
        <source>{have} of weights, {allowed} allowed.</source>
        <translation>权重 {have}，允许 {allowed}。</translation>
    </message>
    <message>
        <source>Give the largest kernels INT4, or let the search find the cheapest ones.</source>
        <translation>请将最大的算子设为 INT4，或由搜索找出代价最小的算子。</translation>
    </message>
    <message>
        <source>Peak memory is {over} over its budget</source>
        <translation>峰值内存超出预算 {over}</translation>
    </message>
    <message>
        <source>{have} while {kernel} runs, {allowed} allowed.</source>
        <translation>{kernel} 运行时为 {have}，允许 {allowed}。</translation>
    </message>
    <message>
        <source>Use a smaller input there, or INT8 activations; the Memory view shows what lives at that time.</source>
        <translation>请在该处减小输入或使用 INT8 激活；内存视图显示当时存活的张量。</translation>
    </message>
    <message>
        <source>One run is {over} over its budget</source>
        <translation>单次运行超出预算 {over}</translation>
    </message>
    <message>
        <source>{have} simulated, {allowed} allowed.</source>
        <translation>仿真值 {have}，允许 {allowed}。</translation>
    </message>
    <message>
        <source>Let the search find a faster plan, or fewer kernels on the way.</source>
        <translation>请由搜索找出更快的方案，或减少途中的算子。</translation>
    </message>
    <message>
        <source>{names} and {count} more</source>
        <translation>{names} 等另外 {count} 个</translation>
    </message>
    <message>
        <source>The file leaves input dimensions free</source>
        <translation>文件中有未定的输入维度</translation>
    </message>
    <message>
        <source>All figures are for {shapes}.</source>
        <translation>所有数值均针对 {shapes}。</translation>
    </message>
    <message>
        <source>Fix the shape when you convert (--input_shape); this device takes static shapes only.</source>
        <translation>转换时请固定形状（--input_shape）；此设备只接受静态形状。</translation>
    </message>
    <message>
        <source>Fix the shape when you convert (--input_shape), or list the shapes that occur.</source>
        <translation>转换时请固定形状（--input_shape），或列出会出现的形状。</translation>
    </message>
    <message>
        <source>{count} {count:kernel has|kernels have} shapes that depend on values</source>
        <translation>{count} 个算子的形状取决于数值</translation>
    </message>
    <message>
        <source>{kernels}: no converter for this device can plan their memory.</source>
        <translation>{kernels}：此设备的转换器无法为其规划内存。</translation>
    </message>
    <message>
        <source>Replace what makes them (NonZero, Where, NonMaxSuppression) or cut the model in front of it.</source>
        <translation>请替换产生它们的运算（NonZero、Where、NonMaxSuppression），或在其之前截断模型。</translation>
    </message>
    <message>
        <source>Opset {version} is out of range</source>
        <translation>opset {version} 超出范围</translation>
    </message>
    <message>
        <source>The converter of this device reads opsets {low} to {high}.</source>
        <translation>此设备的转换器可读取 opset {low} 到 {high}。</translation>
    </message>
    <message>
        <source>Export for this device: the model is written in an opset that it reads, where that keeps the results.</source>
        <translation>请为此设备导出：在结果不变时，模型会以它可读取的 opset 写出。</translation>
    </message>
    <message>
        <source>{kernels}: toolchains know layers by name.</source>
        <translation>{kernels}：工具链按名称识别层。</translation>
    </message>
    <message>
        <source>Use the model that the export writes beside its configuration; there every node has a name.</source>
        <translation>请使用导出时写在配置旁的模型；其中每个节点都有名称。</translation>
    </message>
    <message>
        <source>{count} {count:kernel turns|kernels turn} NCHW into NHWC or back</source>
        <translation>{count} 个算子在 NCHW 与 NHWC 之间转换</translation>
    </message>
    <message>
        <source>{kernels}: {time} of each run.</source>
        <translation>{kernels}：每次运行 {time}。</translation>
    </message>
    <message>
        <source>Feed the model in NCHW and take the Transpose out: the device has its own layout in between.</source>
        <translation>请以 NCHW 输入并去掉 Transpose：设备内部有自己的格式。</translation>
    </message>
    <message>
        <source>{count} {count:matrix product has|matrix products have} packed 4-bit weights</source>
        <translation>{count} 个矩阵乘的权重为打包的 4 位</translation>
    </message>
    <message>
        <source>{kernels}: .om keeps weights row by row as [K, N], .ms transposed as [N, K].</source>
        <translation>{kernels}：.om 按行存为 [K, N]，.ms 转置存为 [N, K]。</translation>
    </message>
    <message>
        <source>Never hand raw weight files from one to the other; convert each from the exported model.</source>
        <translation>切勿在两者间直接传递原始权重文件；请分别从导出的模型转换。</translation>
    </message>
    <message>
        <source>{count} {count:kernel has|kernels have} channels that are no multiple of 16 (INT8: 32)</source>
        <translation>{count} 个算子的通道数不是 16（INT8 为 32）的倍数</translation>
    </message>
    <message>
        <source>{kernels}: up to {part} of a kernel's matrix work is padding, {time} in all.</source>
        <translation>{kernels}：单个算子的矩阵运算最多有 {part} 是填充，共 {time}。</translation>
    </message>
    <message>
        <source>Round the channels up when you train: it costs no time on this device.</source>
        <translation>训练时请将通道数向上取整：在此设备上不增加时间。</translation>
    </message>
    <message>
        <source>Constants repeat themselves over {size}</source>
        <translation>常量中有 {size} 是重复内容</translation>
    </message>
    <message>
        <source>{kernels}: stored and read in each run.</source>
        <translation>{kernels}：每次运行都要存储并读取。</translation>
    </message>
    <message>
        <source>Store one row or one number and let the operator broadcast it.</source>
        <translation>请只存一行或一个数，由运算广播。</translation>
    </message>
    <message>
        <source>{kernel} overflows in {scheme}</source>
        <translation>{kernel} 在 {scheme} 下溢出</translation>
    </message>
    <message>
        <source>{count} {count:value is|values are} NaN or infinite on the samples.</source>
        <translation>样本上有 {count} 个值为 NaN 或无穷。</translation>
    </message>
    <message>
        <source>Give it INT8, whose range is calibrated, or scale its input down.</source>
        <translation>请改用范围经过校准的 INT8，或缩小其输入。</translation>
    </message>
    <message>
        <source>{kernel} gives NaN or infinity in full precision</source>
        <translation>{kernel} 在全精度下给出 NaN 或无穷</translation>
    </message>
    <message>
        <source>{kernels}: the errors of {count} {count:kernel|kernels} can't be measured.</source>
        <translation>{kernels}：{count} 个算子的误差无法测量。</translation>
    </message>
    <message>
        <source>Check the samples and their preprocessing; then the model itself.</source>
        <translation>请检查样本及其预处理，然后检查模型本身。</translation>
    </message>
    <message>
        <source>{scheme} is not native for {count} {count:kernel|kernels}</source>
        <translation>{scheme} 不是 {count} 个算子的原生格式</translation>
    </message>
    <message>
        <source>They are built in FP16; choose a format that the device has.</source>
        <translation>它们会以 FP16 构建；请选择设备支持的格式。</translation>
    </message>
    <message>
        <source>{scheme} is not native for {kernels}: {reason} Their time is that of FP16, their size that of the plan.</source>
        <translation>{kernels} 不原生支持 {scheme}：{reason} 其耗时按 FP16 计，大小按方案计。</translation>
    </message>
    <message>
        <source>{count} {count:kernel alone misses|kernels, each alone, miss} the required SQNR</source>
        <translation>{count} 个算子自身就达不到所需 SQNR</translation>
    </message>
    <message>
        <source>Worst: {kernel} with {have} on reference inputs, {need} required.</source>
        <translation>最差：{kernel}，在参考输入上为 {have}，要求 {need}。</translation>
    </message>
    <message>
        <source>Give them more bits, or smaller groups.</source>
        <translation>请给它们更多位，或更小的分组。</translation>
    </message>
    <message>
        <source>The output error misses its requirement</source>
        <translation>输出误差未达要求</translation>
    </message>
    <message>
        <source>{have} SQNR at the output, {need} required.</source>
        <translation>输出 SQNR 为 {have}，要求 {need}。</translation>
    </message>
    <message>
        <source>Raise the most sensitive kernels first; the sweep names them.</source>
        <translation>请先提升最敏感的算子；扫描会给出名单。</translation>
    </message>
    <message>
        <source>{count} {count:kernel saturates|kernels saturate} on evaluation samples</source>
        <translation>{count} 个算子在评估样本上饱和</translation>
    </message>
    <message>
        <source>{kernels}: up to {part} of the values lie beyond the calibrated range.</source>
        <translation>{kernels}：最多有 {part} 的值超出校准范围。</translation>
    </message>
    <message>
        <source>Calibrate with samples like those, or with another observer.</source>
        <translation>请用类似样本校准，或换用其他观察器。</translation>
    </message>
    <message>
        <source>{count} {count:kernel reads|kernels read} an input that hardly moves</source>
        <translation>{count} 个算子的输入几乎不变</translation>
    </message>
    <message>
        <source>{kernels}: the range is a single value, or a quarter of the channels is always zero.</source>
        <translation>{kernels}：范围只有单个值，或四分之一的通道始终为零。</translation>
    </message>
    <message>
        <source>Check the calibration samples; what is dead with real ones can be pruned.</source>
        <translation>请检查校准样本；用真实样本仍不变的部分可以剪除。</translation>
    </message>
    <message>
        <source>{count} {count:kernel has weights that its|kernels have weights that their} format can't hold</source>
        <translation>{count} 个算子的权重超出其格式的表示范围</translation>
    </message>
    <message>
        <source>Check the model's export; weights beyond the range of FP16 fit INT8.</source>
        <translation>请检查模型的导出；超出 FP16 范围的权重可用 INT8 表示。</translation>
    </message>
    <message>
        <source>{count} {count:kernel has|kernels have} channels of zeros</source>
        <translation>{count} 个算子含有全零通道</translation>
    </message>
    <message>
        <source>They cost time and memory and compute nothing; prune the model.</source>
        <translation>它们占用时间和内存却不参与计算；请对模型剪枝。</translation>
    </message>
    <message>
        <source>The ranges come from synthetic samples</source>
        <translation>范围来自合成样本</translation>
    </message>
    <message>
        <source>Errors and saturation are indicative only.</source>
        <translation>误差与饱和仅供参考。</translation>
    </message>
    <message>
        <source>Give {count} or more real samples.</source>
        <translation>请提供 {count} 个或更多真实样本。</translation>
    </message>
    <message>
        <source>Only {count} calibration {count:sample|samples}</source>
        <translation>只有 {count} 个校准样本</translation>
    </message>
    <message>
        <source>Ranges of so few samples miss rare values.</source>
        <translation>样本过少，范围会漏掉罕见值。</translation>
    </message>
    <message>
        <source>Put in by the compiler: a conversion of layout or type.</source>
        <translation>由编译器插入：格式或类型转换。</translation>
    </message>
    <message>
        <source>{path} holds no op_summary and no *_op.csv.</source>
        <translation>{path} 中没有 op_summary，也没有 *_op.csv。</translation>
    </message>
    <message>
        <source>{path} does not exist.</source>
        <translation>{path} 不存在。</translation>
    </message>
    <message>
        <source>{path}: {name} would have taken {value:.3g} µs; no time is below zero or above a day.</source>
        <translation>{path}：{name} 竟需 {value:.3g} µs；时间不可能为负或超过一天。</translation>
    </message>
    <message>
        <source>{path} is no profile of ONNX Runtime ({reason}).</source>
        <translation>{path} 不是 ONNX Runtime 的性能文件（{reason}）。</translation>
    </message>
    <message>
        <source>{path} has no kernel times; profile with enable_profiling and at least one run.</source>
        <translation>{path} 中没有算子时间；请启用 enable_profiling 并至少运行一次。</translation>
    </message>
    <message>
        <source>{path} has no operator times; run the benchmark with --timeProfiling=true.</source>
        <translation>{path} 中没有运算时间；请以 --timeProfiling=true 运行 benchmark。</translation>
    </message>
    <message>
        <source>{path} is no profile that is known: expected a phone's *_op.csv, op_summary, a benchmark's output, a profile of ONNX Runtime, or a table with columns like name and time(us). It has: {columns}.</source>
        <translation>{path} 不是已知的性能文件：应为手机的 *_op.csv、op_summary、benchmark 的输出、ONNX Runtime 的性能文件，或含 name 与 time(us) 等列的表格。现有列：{columns}。</translation>
    </message>
    <message>
        <source>{path} has no inference in it.</source>
        <translation>{path} 中没有推理。</translation>
    </message>
    <message>
        <source>{path}, line {line} is no operator row; the file is damaged or cut off.</source>
        <translation>{path} 第 {line} 行不是运算行；文件已损坏或被截断。</translation>
    </message>
    <message>
        <source>{path}: {count} of {all} runs {count:is incomplete and was|are incomplete and were} left out.</source>
        <translation>{path}：{all} 次运行中有 {count} 次不完整，已略去。</translation>
    </message>
    <message>
        <source>{path} has the operators of {runs} runs, and the model table lists {known}.</source>
        <translation>{path} 含 {runs} 次运行的运算，而模型表列出 {known} 次。</translation>
    </message>
    <message>
        <source>{path}, line {line} is no event row; the file is damaged or cut off.</source>
        <translation>{path} 第 {line} 行不是事件行；文件已损坏或被截断。</translation>
    </message>
    <message>
        <source>Quantizing {layer}</source>
        <translation>正在量化 {layer}</translation>
    </message>
    <message>
        <source>{file}: ONNX Runtime can't run the quantized model ({reason}); the file was not written.</source>
        <translation>{file}：ONNX Runtime 无法运行量化后的模型（{reason}）；文件未写入。</translation>
    </message>
    <message>
        <source>{file}: output {name} of the quantized model is not as in the model; the file was not written.</source>
        <translation>{file}：量化模型的输出 {name} 与原模型不符；文件未写入。</translation>
    </message>
    <message>
        <source>{path}: the page doesn't hold the plan; nothing was written.</source>
        <translation>{path}：页面内容与方案不符；未写入任何内容。</translation>
    </message>
    <message>
        <source>Read back: a row for each of {count} {count:layer|layers}.</source>
        <translation>已读回：{count} 层各有一行。</translation>
    </message>
    <message>
        <source>{model}: precision plan</source>
        <translation>{model}：精度方案</translation>
    </message>
    <message>
        <source>Summary</source>
        <translation>摘要</translation>
    </message>
    <message>
        <source>What to keep in mind</source>
        <translation>注意事项</translation>
    </message>
    <message>
        <source>Layers</source>
        <translation>层</translation>
    </message>
    <message>
        <source>Plan {name}</source>
        <translation>方案 {name}</translation>
    </message>
    <message>
        <source>{count} {count:layer|layers}, {tunable} with a precision of {tunable:its|their} own</source>
        <translation>{count} 层，其中 {tunable} 层可单独设置精度</translation>
    </message>
    <message>
        <source>Model size</source>
        <translation>模型大小</translation>
    </message>
    <message>
        <source>file {size}</source>
        <translation>文件 {size}</translation>
    </message>
    <message>
        <source>Latency</source>
        <translation>时延</translation>
    </message>
    <message>
        <source>Peak memory</source>
        <translation>内存峰值</translation>
    </message>
    <message>
        <source>Energy per run</source>
        <translation>单次能耗</translation>
    </message>
    <message>
        <source>Skin temperature</source>
        <translation>表面温度</translation>
    </message>
    <message>
        <source>Output SQNR</source>
        <translation>输出 SQNR</translation>
    </message>
    <message>
        <source>Top-1 agreement</source>
        <translation>Top-1 一致率</translation>
    </message>
    <message>
        <source>FP32 {share}</source>
        <translation>FP32 {share}</translation>
    </message>
    <message>
        <source>Accuracy</source>
        <translation>准确率</translation>
    </message>
    <message>
        <source>Errors compare {count} {count:sample|samples} ({source}), run by ONNX Runtime as FP32 and with the plan.</source>
        <translation>误差由 {count} 个样本（{source}）比较得出，分别以 FP32 和该方案用 ONNX Runtime 运行。</translation>
    </message>
    <message>
        <source>The samples are synthetic: errors are indicative only.</source>
        <translation>样本为合成数据：误差仅供参考。</translation>
    </message>
    <message>
        <source>{count} output {count:value is|values are} NaN or infinite with the plan: FP16 overflows.</source>
        <translation>使用该方案时有 {count} 个输出值为 NaN 或无穷：FP16 溢出。</translation>
    </message>
    <message>
        <source>Errors were not measured.</source>
        <translation>未测量误差。</translation>
    </message>
    <message>
        <source>Activation ranges: {observer} over {count} {count:sample|samples} ({source}).</source>
        <translation>激活范围：{observer}，{count} 个样本（{source}）。</translation>
    </message>
    <message>
        <source>The activation ranges come from synthetic samples; calibrate with real ones.</source>
        <translation>激活范围来自合成样本；请用真实样本校准。</translation>
    </message>
    <message>
        <source>Latency, memory and energy are simulated for {device}; its profile states an error of ± {band:.0%}.</source>
        <translation>时延、内存和能耗为 {device} 的仿真结果；其配置标明误差为 ± {band:.0%}。</translation>
    </message>
    <message>
        <source>Cost was not simulated.</source>
        <translation>未仿真开销。</translation>
    </message>
    <message>
        <source>{count} {count:layer has no precision of its|layers have no precision of their} own and {count:runs|run} in FP16.</source>
        <translation>{count} 层不可单独设置精度，以 FP16 运行。</translation>
    </message>
    <message>
        <source>Layer</source>
        <translation>层</translation>
    </message>
    <message>
        <source>Operator</source>
        <translation>算子</translation>
    </message>
    <message>
        <source>Precision</source>
        <translation>精度</translation>
    </message>
    <message>
        <source>Size</source>
        <translation>大小</translation>
    </message>
    <message>
        <source>Local SQNR, dB</source>
        <translation>局部 SQNR，dB</translation>
    </message>
    <message>
        <source>Accumulated SQNR, dB</source>
        <translation>累积 SQNR，dB</translation>
    </message>
    <message>
        <source>Sensitivity, dB</source>
        <translation>敏感度，dB</translation>
    </message>
    <message>
        <source>Latency, µs</source>
        <translation>时延，µs</translation>
    </message>
    <message>
        <source>Unit</source>
        <translation>单元</translation>
    </message>
    <message>
        <source>Bound by</source>
        <translation>瓶颈</translation>
    </message>
    <message>
        <source>Weights by precision</source>
        <translation>各精度的权重</translation>
    </message>
    <message>
        <source>Error along the network</source>
        <translation>误差沿网络的变化</translation>
    </message>
    <message>
        <source>Output SQNR when only this layer is quantized; the lowest {count}.</source>
        <translation>仅量化该层时的输出 SQNR；最低的 {count} 层。</translation>
    </message>
    <message>
        <source>rank</source>
        <translation>名次</translation>
    </message>
    <message>
        <source>Most sensitive layers</source>
        <translation>最敏感的层</translation>
    </message>
    <message>
        <source>Latency of each layer</source>
        <translation>各层时延</translation>
    </message>
    <message>
        <source>Live activations</source>
        <translation>存活激活</translation>
    </message>
    <message>
        <source>Sustained use</source>
        <translation>持续运行</translation>
    </message>
    <message>
        <source>no precision of its own</source>
        <translation>不可单独设置精度</translation>
    </message>
    <message>
        <source>layer</source>
        <translation>层</translation>
    </message>
    <message>
        <source>Planned peak {peak}, least possible {bound}.</source>
        <translation>规划峰值 {peak}，理论下限 {bound}。</translation>
    </message>
    <message>
        <source>other constants</source>
        <translation>其他常量</translation>
    </message>
    <message>
        <source>accumulated</source>
        <translation>累积</translation>
    </message>
    <message>
        <source>local</source>
        <translation>局部</translation>
    </message>
    <message>
        <source>SQNR, dB</source>
        <translation>SQNR，dB</translation>
    </message>
    <message>
        <source>The clock is lowered for the first time after {time} min.</source>
        <translation>时钟频率在 {time}（分:秒）后首次降低。</translation>
    </message>
    <message>
        <source>The clock is never lowered.</source>
        <translation>从不降频。</translation>
    </message>
    <message>
        <source>skin</source>
        <translation>表面</translation>
    </message>
    <message>
        <source>die</source>
        <translation>芯片</translation>
    </message>
    <message>
        <source>Rules know INT4, INT8 and FP16 as their presets; use a plan file to keep every detail.</source>
        <translation>规则只认识 INT4、INT8 与 FP16 预设；要保留全部细节请用方案文件。</translation>
    </message>
    <message>
        <source>rule file</source>
        <translation>规则文件</translation>
    </message>
    <message>
        <source>{path} is not a rule file: {reason}.</source>
        <translation>{path} 不是规则文件：{reason}。</translation>
    </message>
    <message>
        <source>{path} was written by a newer Mixbit (version {got}, this one reads up to {want}); update Mixbit.</source>
        <translation>{path} 由更新的 Mixbit 写入（版本 {got}，本程序最高读取 {want}）；请更新 Mixbit。</translation>
    </message>
    <message>
        <source>{path}: the rules don't give layer {layer} its precision back; nothing was written.</source>
        <translation>{path}：规则不能还原层 {layer} 的精度；未写入任何内容。</translation>
    </message>
    <message>
        <source>Only {count} calibration {count:sample|samples}; 100 or more give steadier ranges.</source>
        <translation>只有 {count} 个校准样本；100 个以上范围更稳定。</translation>
    </message>
    <message>
        <source>Only {count} evaluation {count:sample|samples}: the error at the output can be several dB off; give more.</source>
        <translation>只有 {count} 个评估样本：输出误差可能相差数 dB；请增加样本。</translation>
    </message>
    <message>
        <source>{count} of {all} evaluation samples are calibration samples as well: errors are too optimistic; give others.</source>
        <translation>{all} 个评估样本中有 {count} 个也是校准样本：误差偏乐观；请换用别的样本。</translation>
    </message>
    <message>
        <source>Input {name}: calibration samples have a mean of {mean} and a deviation of {std} (medians), evaluation samples {mean2} and {std2}; they seem to be prepared in different ways.</source>
        <translation>输入 {name}：校准样本的均值为 {mean}、标准差为 {std}（中位数），评估样本为 {mean2} 和 {std2}；两者的预处理方式似乎不同。</translation>
    </message>
    <message>
        <source>Input {name}: the channels of the evaluation samples seem to be in the opposite order of those of the calibration samples (RGB and BGR).</source>
        <translation>输入 {name}：评估样本的通道顺序似乎与校准样本相反（RGB 与 BGR）。</translation>
    </message>
    <message>
        <source>{sample} is unlike the others: the mean of input {name} is {value}, theirs {low} to {high}.</source>
        <translation>{sample} 与其他样本不同：输入 {name} 的均值为 {value}，其他样本为 {low} 到 {high}。</translation>
    </message>
    <message>
        <source>{sample} is unlike the others: the deviation of input {name} is {value}, theirs {low} to {high}.</source>
        <translation>{sample} 与其他样本不同：输入 {name} 的标准差为 {value}，其他样本为 {low} 到 {high}。</translation>
    </message>
    <message>
        <source>{sample} alone makes {count} of {all} activation ranges at least twice as wide as all other samples need; look at it, or choose another observer than min-max.</source>
        <translation>{all} 个激活范围中有 {count} 个仅因 {sample} 就扩大到其他样本所需的两倍以上；请检查该样本，或改用 min-max 以外的观察器。</translation>
    </message>
    <message>
        <source>Sample {number}</source>
        <translation>样本 {number}</translation>
    </message>
    <message>
        <source>Input {name} has mean {mean} after preprocessing, where the given mean promises values around 0; check scale and mean.</source>
        <translation>输入 {name} 预处理后的均值为 {mean}，而给定的均值应使数值在 0 附近；请检查 scale 和 mean。</translation>
    </message>
    <message>
        <source>Input {name} has mean {mean} and deviation {std} after preprocessing, where mean and std promise values near 0 and 1; check scale, mean and std.</source>
        <translation>预处理后输入 {name} 的均值为 {mean}、标准差为 {std}，而按所给均值和标准差应接近 0 和 1；请检查缩放系数、均值和标准差。</translation>
    </message>
    <message>
        <source>Input {name}: the mean colour of the pictures is {have}, in the opposite order of the given mean {want}; check whether channels should be RGB or BGR.</source>
        <translation>输入 {name}：图片的平均颜色为 {have}，与所给均值 {want} 的顺序相反；请检查通道应为 RGB 还是 BGR。</translation>
    </message>
    <message>
        <source>Input {name} of shape {shape} seems to hold pixels with their channels side by side (NHWC); it wants NCHW.</source>
        <translation>输入 {name}（形状 {shape}）的数据似乎是通道相邻排列（NHWC）；它需要 NCHW。</translation>
    </message>
    <message>
        <source>Input {name} of shape {shape} seems to hold one plane for each channel (NCHW); it wants NHWC.</source>
        <translation>输入 {name}（形状 {shape}）的数据似乎是按通道分平面排列（NCHW）；它需要 NHWC。</translation>
    </message>
    <message>
        <source>{path} does not exist; give a picture folder, .npy, .npz or .bin.</source>
        <translation>{path} 不存在；请提供图片文件夹、.npy、.npz 或 .bin。</translation>
    </message>
    <message>
        <source>{path} is a device or a pipe; give a picture folder, .npy, .npz or .bin.</source>
        <translation>{path} 是设备或管道；请提供图片文件夹、.npy、.npz 或 .bin。</translation>
    </message>
    <message>
        <source>The folder {path} holds no pictures, .npy, .npz or .bin files.</source>
        <translation>文件夹 {path} 中没有图片、.npy、.npz 或 .bin 文件。</translation>
    </message>
    <message>
        <source>{path} does not exist; choose the data again.</source>
        <translation>{path} 不存在；请重新选择数据。</translation>
    </message>
    <message>
        <source>{path} holds no sample; at least one is needed.</source>
        <translation>{path} 中没有样本；至少需要一个。</translation>
    </message>
    <message>
        <source>{path} can't be read as data; give pictures, .npy, .npz or .bin.</source>
        <translation>无法将 {path} 读作数据；请提供图片、.npy、.npz 或 .bin。</translation>
    </message>
    <message>
        <source>Layer {name} needs the range of {tensor}, and the calibration has none; calibrate again.</source>
        <translation>层 {name} 需要 {tensor} 的范围，而校准中没有；请重新校准。</translation>
    </message>
    <message>
        <source>{file} doesn't hold the plan; nothing was written.</source>
        <translation>{file} 与方案不符；未写入任何内容。</translation>
    </message>
    <message>
        <source>Read back: the script's constants are those of the plan.</source>
        <translation>回读：脚本中的常量与方案一致。</translation>
    </message>
    <message>
        <source>{path} holds no NumPy data; give a .npy or .npz file.</source>
        <translation>{path} 不是 NumPy 数据；请给出 .npy 或 .npz 文件。</translation>
    </message>
    <message>
        <source>{path} is encrypted; save it without a password.</source>
        <translation>{path} 已加密；请保存为不带密码的文件。</translation>
    </message>
    <message>
        <source>{path}: array {name} would expand from {packed} to {bytes} bytes; save it without compression if that is meant.</source>
        <translation>{path}：数组 {name} 会从 {packed} 字节展开到 {bytes} 字节；若确需如此，请保存为不压缩的文件。</translation>
    </message>
    <message>
        <source>{path} holds records instead of numbers; give plain arrays.</source>
        <translation>{path} 含有结构化记录而不是数值；请给出普通数组。</translation>
    </message>
    <message>
        <source>{path}: its NumPy header is damaged; save the array again.</source>
        <translation>{path}：NumPy 文件头已损坏；请重新保存该数组。</translation>
    </message>
    <message>
        <source>{path} holds Python objects, which are never loaded; give plain arrays.</source>
        <translation>{path} 含有 Python 对象，这类数据从不加载；请给出普通数组。</translation>
    </message>
    <message>
        <source>{path} is cut off: it claims {dtype} {shape}, but has {bytes} bytes.</source>
        <translation>{path} 不完整：声明为 {dtype} {shape}，实际只有 {bytes} 字节。</translation>
    </message>
    <message>
        <source>{path} is too large to be turned round from column order; save it in row order.</source>
        <translation>{path} 过大，无法从列优先转换；请按行优先保存。</translation>
    </message>
    <message>
        <source>{path}: calibration has not finished yet; export again when it has.</source>
        <translation>{path}：校准尚未完成；完成后请重新导出。</translation>
    </message>
    <message>
        <source>{model} has no layer with a precision of its own, so there is nothing to tell {target}.</source>
        <translation>{model} 没有可单独设置精度的层，没有可交给 {target} 的内容。</translation>
    </message>
    <message>
        <source>{target} has no option {option}; it knows {known}.</source>
        <translation>{target} 没有选项 {option}；可用 {known}。</translation>
    </message>
    <message>
        <source>{target}: {option} can't be {value}; choose one of {choices}.</source>
        <translation>{target}：{option} 不能为 {value}；请从 {choices} 中选择。</translation>
    </message>
    <message>
        <source>Quantized ONNX model</source>
        <translation>量化 ONNX 模型</translation>
    </message>
    <message>
        <source>One model that computes what the preview shows: integer weights, Q/DQ nodes, opset 21.</source>
        <translation>计算结果与预览一致的模型：整数权重、Q/DQ 节点、opset 21。</translation>
    </message>
    <message>
        <source>Table of the layers</source>
        <translation>层表</translation>
    </message>
    <message>
        <source>CSV with one row per layer: precision, size, errors and cost.</source>
        <translation>CSV，每层一行：精度、大小、误差和开销。</translation>
    </message>
    <message>
        <source>Plan file</source>
        <translation>方案文件</translation>
    </message>
    <message>
        <source>The plan itself, to be opened again.</source>
        <translation>方案本身，可再次打开。</translation>
    </message>
    <message>
        <source>Rule file</source>
        <translation>规则文件</translation>
    </message>
    <message>
        <source>JSON with a default precision and the name patterns of the layers that keep another one.</source>
        <translation>JSON：默认精度，以及使用其他精度的层的名称模式。</translation>
    </message>
    <message>
        <source>Rules as a C++ header</source>
        <translation>规则的 C++ 头文件</translation>
    </message>
    <message>
        <source>The same rules as a constant for your own deployment code.</source>
        <translation>同样的规则，作为常量供自己的部署代码使用。</translation>
    </message>
    <message>
        <source>AMCT, post-training</source>
        <translation>AMCT，训练后量化</translation>
    </message>
    <message>
        <source>Configurations, scales and a script for AMCT (ONNX edition): INT8 or FP16 per layer.</source>
        <translation>AMCT（ONNX 版）的配置、缩放因子与脚本：逐层 INT8 或 FP16。</translation>
    </message>
    <message>
        <source>AMCT, quantization-aware training</source>
        <translation>AMCT，量化感知训练</translation>
    </message>
    <message>
        <source>qat.cfg and the mixed-precision JSON for AMCT (PyTorch edition): INT4, INT8 or FP16 per layer.</source>
        <translation>AMCT（PyTorch 版）的 qat.cfg 与混合精度 JSON：逐层 INT4、INT8 或 FP16。</translation>
    </message>
    <message>
        <source>Layer names</source>
        <translation>层名称</translation>
    </message>
    <message>
        <source>ATC, Ascend</source>
        <translation>ATC，昇腾</translation>
    </message>
    <message>
        <source>Script, precision files, calibration settings and AIPP for the converter of Ascend devices.</source>
        <translation>昇腾设备转换器的脚本、精度文件、校准设置与 AIPP。</translation>
    </message>
    <message>
        <source>SoC version</source>
        <translation>SoC 型号</translation>
    </message>
    <message>
        <source>CANN Kit quantizer (dopt) and OMG, Kirin</source>
        <translation>CANN Kit 量化工具（dopt）与 OMG，麒麟</translation>
    </message>
    <message>
        <source>config.prototxt, calibration data and scripts for Kirin phones: INT8 or FP16 per layer.</source>
        <translation>麒麟手机用的 config.prototxt、校准数据与脚本：逐层 INT8 或 FP16。</translation>
    </message>
    <message>
        <source>Platform</source>
        <translation>平台</translation>
    </message>
    <message>
        <source>Names of float layers</source>
        <translation>浮点层的名称</translation>
    </message>
    <message>
        <source>CANN Kit quantizer for language models (dopt_lm)</source>
        <translation>CANN Kit 语言模型量化工具（dopt_lm）</translation>
    </message>
    <message>
        <source>dopt_config.json and config.yaml: INT4, INT8 or float weights per layer.</source>
        <translation>dopt_config.json 与 config.yaml：逐层 INT4、INT8 或浮点权重。</translation>
    </message>
    <message>
        <source>quant.cfg and a script for converter_lite: one integer width and FP16.</source>
        <translation>converter_lite 用的 quant.cfg 与脚本：一种整数位宽与 FP16。</translation>
    </message>
    <message>
        <source>Quantization</source>
        <translation>量化</translation>
    </message>
    <message>
        <source>ONNX with MatMulNBits</source>
        <translation>带 MatMulNBits 的 ONNX</translation>
    </message>
    <message>
        <source>One model for ONNX Runtime, grouped weights of matrix products in its own packed kernel.</source>
        <translation>供 ONNX Runtime 使用的单个模型，矩阵乘的分组权重使用其专用打包算子。</translation>
    </message>
    <message>
        <source>ONNX Runtime recipe</source>
        <translation>ONNX Runtime 脚本</translation>
    </message>
    <message>
        <source>quantize.py, which repeats the plan with onnxruntime.quantization.</source>
        <translation>quantize.py：用 onnxruntime.quantization 重现方案。</translation>
    </message>
    <message>
        <source>AIMET encodings</source>
        <translation>AIMET 编码</translation>
    </message>
    <message>
        <source>Precision and scales of every tensor, for AIMET and for Qualcomm's converters.</source>
        <translation>每个张量的精度与缩放因子，供 AIMET 与高通转换器使用。</translation>
    </message>
    <message>
        <source>QNN and SNPE overrides</source>
        <translation>QNN 与 SNPE 覆盖</translation>
    </message>
    <message>
        <source>JSON for --quantization_overrides of Qualcomm's converters.</source>
        <translation>高通转换器 --quantization_overrides 用的 JSON。</translation>
    </message>
    <message>
        <source>NNCF script</source>
        <translation>NNCF 脚本</translation>
    </message>
    <message>
        <source>nncf_plan.py, which repeats the plan with NNCF.</source>
        <translation>nncf_plan.py：用 NNCF 重现方案。</translation>
    </message>
    <message>
        <source>TensorRT</source>
        <translation>TensorRT</translation>
    </message>
    <message>
        <source>A quantized model without zero points, a script for trtexec, and precisions per layer.</source>
        <translation>不带零点的量化模型、trtexec 脚本，以及逐层精度。</translation>
    </message>
    <message>
        <source>Model Explorer overlay</source>
        <translation>Model Explorer 叠加</translation>
    </message>
    <message>
        <source>Node data that colours the graph in Google's Model Explorer.</source>
        <translation>在 Google Model Explorer 中为图着色的节点数据。</translation>
    </message>
    <message>
        <source>Value</source>
        <translation>数值</translation>
    </message>
    <message>
        <source>HTML report</source>
        <translation>HTML 报告</translation>
    </message>
    <message>
        <source>One page with the plan, its errors and its cost, to read in any browser.</source>
        <translation>单页报告，含方案、误差和开销，可在任何浏览器中阅读。</translation>
    </message>
    <message>
        <source>Timeline for Perfetto</source>
        <translation>Perfetto 时间线</translation>
    </message>
    <message>
        <source>Chrome trace of the simulated run: every unit, memory, traffic and power over time.</source>
        <translation>仿真运行的 Chrome trace：各单元、内存、带宽与功率随时间的变化。</translation>
    </message>
    <message>
        <source>Simulated op_summary</source>
        <translation>仿真 op_summary</translation>
    </message>
    <message>
        <source>CSV of the simulated run, one row per kernel, in the columns of a profile by msprof.</source>
        <translation>仿真运行的 CSV，每个算子一行，列名与 msprof 性能数据一致。</translation>
    </message>
    <message>
        <source>There is no export target {name}; choose one of {names}.</source>
        <translation>没有导出目标 {name}；请从 {names} 中选择。</translation>
    </message>
    <message>
        <source>Another layer has the same weight {tensor} in another format, and this target knows one per tensor.</source>
        <translation>另一层以不同格式使用同一权重 {tensor}，而该目标每个张量只有一种格式。</translation>
    </message>
    <message>
        <source>Another layer reads the same tensor {tensor} in INT{bits}, and this target rounds tensors, not layers.</source>
        <translation>另一层以 INT{bits} 读取同一张量 {tensor}，而此目标按张量而不是按层舍入。</translation>
    </message>
    <message>
        <source>INT4 needs TensorRT 10 or newer; layer_precisions.txt is for versions up to 10.</source>
        <translation>INT4 需要 TensorRT 10 或更新；layer_precisions.txt 适用于 10 及以前的版本。</translation>
    </message>
    <message>
        <source>TensorRT quantizes convolutions and matrix products; this layer stays FP16.</source>
        <translation>TensorRT 量化卷积与矩阵乘；此层保持 FP16。</translation>
    </message>
    <message>
        <source>TensorRT quantizes products whose weight is a matrix on the right only.</source>
        <translation>TensorRT 只量化权重为右侧矩阵的乘法。</translation>
    </message>
    <message>
        <source>Layer {name} can't be named in layer_precisions.txt.</source>
        <translation>层 {name} 无法写入 layer_precisions.txt。</translation>
    </message>
    <message>
        <source>Run by ONNX Runtime; {count} {count:layer|layers} in the precision string.</source>
        <translation>ONNX Runtime 已运行；精度字符串中有 {count} 个层。</translation>
    </message>
    <message>
        <source>{count} {count:bar|bars} of {kernels} {kernels:kernel|kernels}.</source>
        <translation>{kernels} 个算子的 {count} 个条块。</translation>
    </message>
    <message>
        <source>{path}: the plan has not been simulated yet; export again when it has.</source>
        <translation>{path}：方案尚未仿真；仿真完成后请再次导出。</translation>
    </message>
    <message>
        <source>Internal error: {error}. The details can be copied from the job list.</source>
        <translation>内部错误：{error}。详情可从任务列表复制。</translation>
    </message>
    <message>
        <source>an object with named fields</source>
        <translation>含命名字段的对象</translation>
    </message>
    <message>
        <source>a list</source>
        <translation>列表</translation>
    </message>
    <message>
        <source>a text</source>
        <translation>文本</translation>
    </message>
    <message>
        <source>a whole number</source>
        <translation>整数</translation>
    </message>
    <message>
        <source>a number</source>
        <translation>数值</translation>
    </message>
    <message>
        <source>true or false</source>
        <translation>true 或 false</translation>
    </message>
    <message>
        <source>null</source>
        <translation>null</translation>
    </message>
    <message>
        <source>one of the kinds {kinds}</source>
        <translation>以下类型之一：{kinds}</translation>
    </message>
    <message>
        <source>it is not in UTF-8</source>
        <translation>编码不是 UTF-8</translation>
    </message>
    <message>
        <source>it is no JSON: {message}</source>
        <translation>不是 JSON：{message}</translation>
    </message>
    <message>
        <source>field {field} is missing</source>
        <translation>缺少字段 {field}</translation>
    </message>
    <message>
        <source>field {field} is not known</source>
        <translation>未知字段 {field}</translation>
    </message>
    <message>
        <source>it holds {found}, not {expected}</source>
        <translation>其内容是{found}，而不是{expected}</translation>
    </message>
    <message>
        <source>field {field} must be {expected}, not {found}</source>
        <translation>字段 {field} 必须是{expected}，而不是{found}</translation>
    </message>
    <message>
        <source>field {field} can't be {value}</source>
        <translation>字段 {field} 不能是 {value}</translation>
    </message>
    <message>
        <source>field {field} is a number with too many digits</source>
        <translation>字段 {field} 的数值位数过多</translation>
    </message>
    <message>
        <source>field {field}: {message}</source>
        <translation>字段 {field}：{message}</translation>
    </message>
    <message>
        <source>The latency to hold is {value} us, but must be above 0.</source>
        <translation>要保持的时延为 {value} us，必须大于 0。</translation>
    </message>
    <message>
        <source>No clock of this device reaches {wanted} ms.</source>
        <translation>该设备没有任何频率能达到 {wanted} ms。</translation>
    </message>
    <message>
        <source>A clock cap of {clock} % holds {wanted} ms without ever throttling.</source>
        <translation>频率限制为 {clock} % 可保持 {wanted} ms 且永不降频。</translation>
    </message>
    <message>
        <source>{wanted} ms needs {clock} % of the clock and so throttles in time; {cool} % stays cool at {latency} ms.</source>
        <translation>{wanted} ms 需要 {clock} % 的频率，迟早会降频；{cool} % 可不降频，时延 {latency} ms。</translation>
    </message>
    <message>
        <source>There is no kernel {kernel}; mixbit inspect lists numbers, ids and names.</source>
        <translation>没有算子 {kernel}；mixbit inspect 会列出编号、标识和名称。</translation>
    </message>
    <message>
        <source>{kernel} is the name of several kernels ({names}); give a number.</source>
        <translation>{kernel} 是多个算子的名称（{names}）；请给出编号。</translation>
    </message>
    <message>
        <source>Runs in</source>
        <translation>运行精度</translation>
    </message>
    <message>
        <source>Product M × K × N</source>
        <translation>矩阵乘 M × K × N</translation>
    </message>
    <message>
        <source>Multiply-accumulates</source>
        <translation>乘累加次数</translation>
    </message>
    <message>
        <source>{count} of them free on the way out of L0C</source>
        <translation>其中 {count} 个在移出 L0C 时免费完成</translation>
    </message>
    <message>
        <source>Work</source>
        <translation>计算量</translation>
    </message>
    <message>
        <source>Vector elements, one source</source>
        <translation>Vector 元素，单源</translation>
    </message>
    <message>
        <source>Vector elements, two sources</source>
        <translation>Vector 元素，双源</translation>
    </message>
    <message>
        <source>Vector elements, exp and ln</source>
        <translation>Vector 元素，exp 与 ln</translation>
    </message>
    <message>
        <source>Vector elements, division and root</source>
        <translation>Vector 元素，除法与开方</translation>
    </message>
    <message>
        <source>Vector elements, reductions</source>
        <translation>Vector 元素，归约</translation>
    </message>
    <message>
        <source>weights {weights}, widened by the Vector unit; activations {activations}</source>
        <translation>权重 {weights}，由 Vector 单元展开；激活 {activations}</translation>
    </message>
    <message>
        <source>weights {weights}, activations {activations}</source>
        <translation>权重 {weights}，激活 {activations}</translation>
    </message>
    <message>
        <source>Blocks M × K × N</source>
        <translation>分形块 M × K × N</translation>
    </message>
    <message>
        <source>of {block}; {useful} % of them is no padding</source>
        <translation>每块 {block}；其中 {useful} % 不是填充</translation>
    </message>
    <message>
        <source>L0 tile M × K × N</source>
        <translation>L0 切块 M × K × N</translation>
    </message>
    <message>
        <source>{blocks} blocks</source>
        <translation>{blocks} 块</translation>
    </message>
    <message>
        <source>In L0A, L0B, L0C</source>
        <translation>占用 L0A、L0B、L0C</translation>
    </message>
    <message>
        <source>twice each: one is filled while the other is used</source>
        <translation>各两份：一份使用时另一份填充</translation>
    </message>
    <message>
        <source>Tiles</source>
        <translation>切块数</translation>
    </message>
    <message>
        <source>Reads of activations, weights</source>
        <translation>激活、权重读取次数</translation>
    </message>
    <message>
        <source>half of {size} KiB L1 holds what stays</source>
        <translation>{size} KiB L1 的一半存放驻留数据</translation>
    </message>
    <message>
        <source>Cores</source>
        <translation>核数</translation>
    </message>
    <message>
        <source>of {count}</source>
        <translation>共 {count}</translation>
    </message>
    <message>
        <source>Tile</source>
        <translation>切块</translation>
    </message>
    <message>
        <source>Activations in</source>
        <translation>输入激活</translation>
    </message>
    <message>
        <source>Weights and constants</source>
        <translation>权重与常量</translation>
    </message>
    <message>
        <source>Activations out</source>
        <translation>输出激活</translation>
    </message>
    <message>
        <source>From and to memory</source>
        <translation>内存读写</translation>
    </message>
    <message>
        <source>Through L2</source>
        <translation>经过 L2</translation>
    </message>
    <message>
        <source>Through L1 and UB</source>
        <translation>经过 L1 与 UB</translation>
    </message>
    <message>
        <source>Into L0</source>
        <translation>进入 L0</translation>
    </message>
    <message>
        <source>Layout conversion</source>
        <translation>排布转换</translation>
    </message>
    <message>
        <source>Bytes</source>
        <translation>字节</translation>
    </message>
    <message>
        <source>all: there is no L2</source>
        <translation>全部：没有 L2</translation>
    </message>
    <message>
        <source>weights, and {share} % of the activations, which do not fit L2</source>
        <translation>权重，以及放不进 L2 的 {share} % 激活</translation>
    </message>
    <message>
        <source>2 × {sync} µs hand-over, copies both ways, arithmetic</source>
        <translation>2 × {sync} µs 交接、双向拷贝与计算</translation>
    </message>
    <message>
        <source>Time</source>
        <translation>时间</translation>
    </message>
    <message>
        <source>CPU</source>
        <translation>CPU</translation>
    </message>
    <message>
        <source>once for each of {count} slices of the batch</source>
        <translation>批次切成 {count} 片，每片一次</translation>
    </message>
    <message>
        <source>of {launch} µs, the rest during the kernel before</source>
        <translation>共 {launch} µs，其余在前一个算子运行期间完成</translation>
    </message>
    <message>
        <source>Launch</source>
        <translation>启动</translation>
    </message>
    <message>
        <source>with a launch of its own</source>
        <translation>含自身的启动开销</translation>
    </message>
    <message>
        <source>Cube</source>
        <translation>Cube</translation>
    </message>
    <message>
        <source>MTE1</source>
        <translation>MTE1</translation>
    </message>
    <message>
        <source>{size} B from L1 to L0</source>
        <translation>{size} B 从 L1 到 L0</translation>
    </message>
    <message>
        <source>Vector</source>
        <translation>Vector</translation>
    </message>
    <message>
        <source>{size} B through the Vector unit</source>
        <translation>{size} B 经过 Vector 单元</translation>
    </message>
    <message>
        <source>MTE2</source>
        <translation>MTE2</translation>
    </message>
    <message>
        <source>MTE3</source>
        <translation>MTE3</translation>
    </message>
    <message>
        <source>{size} B out</source>
        <translation>写出 {size} B</translation>
    </message>
    <message>
        <source>Fill and drain</source>
        <translation>填充与排空</translation>
    </message>
    <message>
        <source>{groups} × ({issue} × {tiles} tiles + {blocks} blocks) cycles at {mhz} MHz × {efficiency}, {cores} cores</source>
        <translation>{groups} × （{issue} × {tiles} 切块 + {blocks} 分形块）周期，{mhz} MHz × {efficiency}，{cores} 核</translation>
    </message>
    <message>
        <source>{size} B from memory at {rate} GB/s, {ahead} µs of it during the kernel before</source>
        <translation>从内存读 {size} B，{rate} GB/s，其中 {ahead} µs 在前一算子期间完成</translation>
    </message>
    <message>
        <source>{size} B from memory at {rate} GB/s</source>
        <translation>从内存读 {size} B，{rate} GB/s</translation>
    </message>
    <message>
        <source>launch {launch} + conversion {convert} + fill {fill} + longest unit {steady} + drain {drain}</source>
        <translation>启动 {launch} + 转换 {convert} + 填充 {fill} + 最长单元 {steady} + 排空 {drain}</translation>
    </message>
    <message>
        <source>{scheme} instead of {now}</source>
        <translation>用 {scheme} 代替 {now}</translation>
    </message>
    <message>
        <source>No launch, if fused</source>
        <translation>无启动开销（与相邻算子融合）</translation>
    </message>
    <message>
        <source>Twice the memory bandwidth</source>
        <translation>内存带宽加倍</translation>
    </message>
    <message>
        <source>Twice the ports of L2 and out of the core</source>
        <translation>L2 与出核带宽加倍</translation>
    </message>
    <message>
        <source>An L2 that holds all activations</source>
        <translation>L2 可容纳全部激活</translation>
    </message>
    <message>
        <source>Twice the Cube</source>
        <translation>Cube 加倍</translation>
    </message>
    <message>
        <source>Twice the ports from L1 to L0</source>
        <translation>L1 到 L0 带宽加倍</translation>
    </message>
    <message>
        <source>Twice the Vector unit</source>
        <translation>Vector 单元加倍</translation>
    </message>
    <message>
        <source>Twice the CPU and its copies</source>
        <translation>CPU 及拷贝速度加倍</translation>
    </message>
    <message>
        <source>A profile can't have the name {name}: 1 to {longest} characters that a file name may have.</source>
        <translation>配置不能命名为 {name}：须为 1 到 {longest} 个可用于文件名的字符。</translation>
    </message>
    <message>
        <source>{name} is a profile that comes with Mixbit; choose another name.</source>
        <translation>{name} 是 Mixbit 自带的配置；请换一个名称。</translation>
    </message>
    <message>
        <source>{file}: field {field} must be a number, not {value}.</source>
        <translation>{file}：字段 {field} 须为数字，不能是 {value}。</translation>
    </message>
    <message>
        <source>{kernel}: both operands are computed at run time, so it has no precision of its own: it runs in floats, and there is no integer kernel for it.</source>
        <translation>{kernel}：两个操作数都在运行时算出，它没有自己的精度，按浮点运行，因此没有对应的整数算子。</translation>
    </message>
    <message>
        <source>{kernel} has no weights to quantize, so there is no integer kernel for it.</source>
        <translation>{kernel} 没有可量化的权重，因此没有对应的整数算子。</translation>
    </message>
    <message>
        <source>{kernel}: there is no emulated kernel for the operator {op}.</source>
        <translation>{kernel}：算子 {op} 没有模拟的整数算子。</translation>
    </message>
    <message>
        <source>{kernel} is at FP32: there is nothing to emulate; choose another precision.</source>
        <translation>{kernel} 为 FP32，没有可模拟的内容；请选择其他精度。</translation>
    </message>
    <message>
        <source>{kernel}: weights of {bits} bits don't fit the 8 that BF16 keeps of a number; choose FP16 activations.</source>
        <translation>{kernel}：BF16 只保留 8 位有效数字，容不下 {bits} 位权重；请选择 FP16 激活。</translation>
    </message>
    <message>
        <source>{kernel}: its bias is computed at run time, which is not emulated.</source>
        <translation>{kernel}：它的偏置在运行时算出，不作模拟。</translation>
    </message>
    <message>
        <source>{kernel}: there is no emulated kernel for this equation.</source>
        <translation>{kernel}：这个 equation 没有模拟的整数算子。</translation>
    </message>
    <message>
        <source>Runs on the CPU ({reason}), with two hand-overs; replacing the operator would keep it on the NPU.</source>
        <translation>在 CPU 上运行（{reason}），有两次交接；替换该操作可留在 NPU 上。</translation>
    </message>
    <message>
        <source>Costs nothing: its parts already lie side by side in memory.</source>
        <translation>没有开销：各部分在内存中本来就相邻。</translation>
    </message>
    <message>
        <source>Costs nothing: it only renames a tensor.</source>
        <translation>没有开销：只是重命名张量。</translation>
    </message>
    <message>
        <source>Runs in FP16, because its scheme is not native here: {reason}</source>
        <translation>以 FP16 运行，因为此处不原生支持它的格式：{reason}</translation>
    </message>
    <message>
        <source>Spends most of its time on converting the layout of its input; keep one layout around it.</source>
        <translation>大部分时间用于转换输入的格式；请让前后保持同一格式。</translation>
    </message>
    <message>
        <source>Launching takes {launch} µs, longer than any unit works; fusing it with a neighbour would help.</source>
        <translation>启动需 {launch} µs，比任何单元的工作都长；与相邻算子融合会有帮助。</translation>
    </message>
    <message>
        <source>Reading takes {time} µs, most of it for {size} of weights; fewer weight bits would help.</source>
        <translation>读取需 {time} µs，其中大部分用于 {size} 权重；减少权重位数会有帮助。</translation>
    </message>
    <message>
        <source>Reading its activations takes {time} µs; INT8 activations or fusing it with its producer would help.</source>
        <translation>读取激活需 {time} µs；INT8 激活或与前一算子融合会有帮助。</translation>
    </message>
    <message>
        <source>Writing its output takes longest; INT8 outputs or fusing it with its reader would help.</source>
        <translation>写输出耗时最长；INT8 输出或与后一算子融合会有帮助。</translation>
    </message>
    <message>
        <source>Filling L0 takes longest: tiles are used too few times; a larger batch or more channels would help.</source>
        <translation>填充 L0 耗时最长：切分块复用太少；更大的批或更多通道会有帮助。</translation>
    </message>
    <message>
        <source>Widening the packed weights keeps the Vector unit busy longest; INT8 with INT8 activations needs none.</source>
        <translation>展开打包权重占用 Vector 单元最久；INT8 权重配 INT8 激活则无需展开。</translation>
    </message>
    <message>
        <source>The Vector unit works longest; cheaper activations or fewer passes would help.</source>
        <translation>Vector 单元工作最久；更简单的激活函数或更少的遍数会有帮助。</translation>
    </message>
    <message>
        <source>The Cube works longest; INT8 weights with INT8 activations would double its rate.</source>
        <translation>Cube 工作最久；INT8 权重配 INT8 激活可使速率翻倍。</translation>
    </message>
    <message>
        <source>The Cube works longest, already in integers; only less arithmetic would help.</source>
        <translation>Cube 工作最久，且已用整数；只有减少计算量才有帮助。</translation>
    </message>
    <message>
        <source>Input path: mode is {value}, but must be one of {choices}.</source>
        <translation>输入通路：模式为 {value}，必须是 {choices} 之一。</translation>
    </message>
    <message>
        <source>Input path: frames per second is {value}, but must be above 0.</source>
        <translation>输入通路：每秒帧数为 {value}，必须大于 0。</translation>
    </message>
    <message>
        <source>Input path: preprocessing is {value} us, but must be 0 or more.</source>
        <translation>输入通路：预处理为 {value} us，不能为负。</translation>
    </message>
    <message>
        <source>The profile of {device} has no BF16; the converter stores and runs FP16.</source>
        <translation>{device} 的配置中没有 BF16；转换器以 FP16 存储并运行。</translation>
    </message>
    <message>
        <source>{device} has no FP32 in its matrix unit; the converter stores and runs FP16.</source>
        <translation>{device} 的矩阵单元不支持 FP32；转换器以 FP16 存储并运行。</translation>
    </message>
    <message>
        <source>There is no GELU of the form {form}; choose tanh or kirin.</source>
        <translation>没有 {form} 形式的 GELU；请选择 tanh 或 kirin。</translation>
    </message>
    <message>
        <source>FusedNormBiasGELU needs {count} values of {name}, not {have}.</source>
        <translation>FusedNormBiasGELU 需要 {count} 个 {name} 值，而不是 {have}。</translation>
    </message>
    <message>
        <source>FRACTAL_NZ needs at least {count} axes, not {have}.</source>
        <translation>FRACTAL_NZ 至少需要 {count} 个轴，而不是 {have}。</translation>
    </message>
    <message>
        <source>This layout needs {count} axes, not {have}.</source>
        <translation>该排布需要 {count} 个轴，而不是 {have}。</translation>
    </message>
    <message>
        <source>A block of {count} channels exists on no device; choose one of {choices}.</source>
        <translation>没有设备使用 {count} 通道的块；请选择 {choices} 之一。</translation>
    </message>
    <message>
        <source>{wanted} rows or channels were asked for, but the blocks hold {there}.</source>
        <translation>请求了 {wanted} 行或通道，但块中只有 {there}。</translation>
    </message>
    <message>
        <source>{file}: field {field} is missing; add it.</source>
        <translation>{file}：缺少字段 {field}；请补上。</translation>
    </message>
    <message>
        <source>{file}: field {field} is not known; remove it.</source>
        <translation>{file}：未知字段 {field}；请删除。</translation>
    </message>
    <message>
        <source>{file} is not a device profile: it holds {found} instead of fields.</source>
        <translation>{file} 不是设备档案：其内容是{found}，而不是字段。</translation>
    </message>
    <message>
        <source>a number, a text, true or false, or a list of numbers</source>
        <translation>数值、文本、true 或 false，或数值列表</translation>
    </message>
    <message>
        <source>{file}: field {field} must be {expected}, not {found}.</source>
        <translation>{file}：字段 {field} 必须是{expected}，而不是{found}。</translation>
    </message>
    <message>
        <source>{file}: field {field} must be one of {choices}, not {value}.</source>
        <translation>{file}：字段 {field} 须为 {choices} 之一，不能是 {value}。</translation>
    </message>
    <message>
        <source>{file}: field {field} is a number with too many digits to be read.</source>
        <translation>{file}：字段 {field} 的数值位数过多，无法读取。</translation>
    </message>
    <message>
        <source>{file}: field {field}: {problem}.</source>
        <translation>{file}：字段 {field}：{problem}。</translation>
    </message>
    <message>
        <source>{op} is not in the operator table of this device</source>
        <translation>{op} 不在此设备的算子表中</translation>
    </message>
    <message>
        <source>There is no device {name}; choose one of {names}, or give a profile file.</source>
        <translation>没有设备 {name}；请从 {names} 中选择，或提供档案文件。</translation>
    </message>
    <message>
        <source>{file} can't be read: {why}.</source>
        <translation>无法读取 {file}：{why}。</translation>
    </message>
    <message>
        <source>{file} is not a device profile: it is not valid JSON ({why}).</source>
        <translation>{file} 不是设备档案：不是有效的 JSON（{why}）。</translation>
    </message>
    <message>
        <source>{file}: format is {format} {version}, but this program reads {expected} {newest}.</source>
        <translation>{file}：格式为 {format} {version}，而本程序读取 {expected} {newest}。</translation>
    </message>
    <message>
        <source>{file}: field {field} is given in {unit}, but must be in {expected}.</source>
        <translation>{file}：字段 {field} 的单位是 {unit}，应为 {expected}。</translation>
    </message>
    <message>
        <source>QuantMatMul takes groups of {want} weights, not {have}.</source>
        <translation>QuantMatMul 的分组大小须为 {want}，而不是 {have}。</translation>
    </message>
    <message>
        <source>QuantMatMul takes {rows} rows, not {have}; pad or split the input.</source>
        <translation>QuantMatMul 的行数须为 {rows}，而不是 {have}；请填充或拆分输入。</translation>
    </message>
    <message>
        <source>QuantMatMul takes {name} in multiples of {want}, not {have}.</source>
        <translation>QuantMatMul 的 {name} 须为 {want} 的倍数，而不是 {have}。</translation>
    </message>
    <message>
        <source>QuantMatMul takes at most {want} KB of activations, not {have}.</source>
        <translation>QuantMatMul 的激活最多 {want} KB，而不是 {have}。</translation>
    </message>
    <message>
        <source>QuantMatMul takes weights of 4 bits, not {have}.</source>
        <translation>QuantMatMul 只接受 4 位权重，而不是 {have} 位。</translation>
    </message>
    <message>
        <source>QuantMatMul needs an input of {k} columns, not {have}.</source>
        <translation>QuantMatMul 需要 {k} 列的输入，而不是 {have}。</translation>
    </message>
    <message>
        <source>Scenario: minutes is {value}, but must be above 0 and at most {longest}.</source>
        <translation>场景：分钟数为 {value}，须大于 0 且不超过 {longest}。</translation>
    </message>
    <message>
        <source>Scenario: runs per second is {value}, but must be above 0.</source>
        <translation>场景：每秒运行次数为 {value}，须大于 0。</translation>
    </message>
    <message>
        <source>Scenario: governor is {value}, but must be one of {choices}.</source>
        <translation>场景：调频策略为 {value}，必须是 {choices} 之一。</translation>
    </message>
    <message>
        <source>Scenario: clock cap is {value}, but must be above 0, as a part of the nominal clock.</source>
        <translation>场景：频率上限为 {value}，必须大于 0（相对标称频率）。</translation>
    </message>
    <message>
        <source>Scenario: ambient temperature is {value} C, but must be -40 to 85.</source>
        <translation>场景：环境温度为 {value} °C，须在 -40 到 85 之间。</translation>
    </message>
    <message>
        <source>{rate} runs per second were asked for, but the device manages {most}, so it runs back to back.</source>
        <translation>要求每秒运行 {rate} 次，但设备只能达到 {most} 次，因此连续运行。</translation>
    </message>
    <message>
        <source>{rate} runs per second were asked for, but the throttled device manages only {most}.</source>
        <translation>要求每秒运行 {rate} 次，但降频后的设备只能达到 {most} 次。</translation>
    </message>
    <message>
        <source>The NPU works {percent} % of the run, so its gaps cost little.</source>
        <translation>NPU 在 {percent} % 的时间内工作，空隙代价很小。</translation>
    </message>
    <message>
        <source>The NPU works only {percent} % of the run. Launches take {share} %: fuse more, or run larger batches.</source>
        <translation>NPU 只在 {percent} % 的时间内工作。启动开销占 {share} %：请更多融合，或增大批量。</translation>
    </message>
    <message>
        <source>The NPU works only {percent} % of the run. It waits for the CPU {share} %: replace the operators that fall back.</source>
        <translation>NPU 只在 {percent} % 的时间内工作。等待 CPU 占 {share} %：请替换回退到 CPU 的算子。</translation>
    </message>
    <message>
        <source>The NPU works only {percent} % of the run. The call itself takes {share} %: run several inputs per call, or queue calls asynchronously.</source>
        <translation>NPU 只在 {percent} % 的时间内工作。调用本身占 {share} %：请一次调用运行多个输入，或异步排队。</translation>
    </message>
    <message>
        <source>The NPU works only {percent} % of the run. First bytes are waited for {share} %: kernels are too small for their transfers.</source>
        <translation>NPU 只在 {percent} % 的时间内工作。等待首字节占 {share} %：算子相对其传输过小。</translation>
    </message>
    <message>
        <source>{file}: field {field} must be a list of {length} numbers.</source>
        <translation>{file}：字段 {field} 须为 {length} 个数字的列表。</translation>
    </message>
    <message>
        <source>{file}: field {field} must be a whole number, not {value}.</source>
        <translation>{file}：字段 {field} 必须是整数，而不是 {value}。</translation>
    </message>
    <message>
        <source>{file}: field {field} is {value} {unit}, but must be between {low} and {high}.</source>
        <translation>{file}：字段 {field} 为 {value} {unit}，须在 {low} 与 {high} 之间。</translation>
    </message>
    <message>
        <source>{file}: field {field} ({unit}) is missing; add it.</source>
        <translation>{file}：缺少字段 {field}（{unit}）；请补上。</translation>
    </message>
    <message>
        <source>{file}: field {field} must rise from entry to entry.</source>
        <translation>{file}：字段 {field} 须逐项递增。</translation>
    </message>
    <message>
        <source>{file}: field {field} must hold numbers of operating points, 0 to {last}.</source>
        <translation>{file}：字段 {field} 须为工作点编号，0 到 {last}。</translation>
    </message>
    <message>
        <source>{file}: field {field} is 0 although {other} is not; give both, or 0 for {all} where there is no L2.</source>
        <translation>{file}：字段 {field} 为 0，而 {other} 不为 0；请两者都填写，没有 L2 时请将 {all} 全部填 0。</translation>
    </message>
    <message>
        <source>{file}: field {field} is {value} W, so much that leakage heats itself up without end at the last trip; lower it, or lower thermal.resistance.</source>
        <translation>{file}：字段 {field} 为 {value} W，漏电会在最后触发温度处无限自热；请降低它或 thermal.resistance。</translation>
    </message>
    <message>
        <source>{file}: field {field} is {have} KiB, too small for two tiles of {cube}; it needs {need} KiB.</source>
        <translation>{file}：字段 {field} 为 {have} KiB，放不下两个 {cube} 切分块；需要 {need} KiB。</translation>
    </message>
    <message>
        <source>{file}: field {field} has {count} entries, but {other} has {expected}; give one for each.</source>
        <translation>{file}：字段 {field} 有 {count} 项，而 {other} 有 {expected} 项；请一一对应。</translation>
    </message>
    <message>
        <source>The temporary folder has no room for {bytes} bytes of activations ({reason}); free some space, or use fewer samples.</source>
        <translation>临时文件夹没有 {bytes} 字节的空间存放激活值（{reason}）；请释放空间，或减少样本。</translation>
    </message>
    <message>
        <source>There is no observer {observer}; choose one of {known}.</source>
        <translation>没有观察器 {observer}；请从 {known} 中选择。</translation>
    </message>
    <message>
        <source>There are no samples to calibrate with; choose data with at least one.</source>
        <translation>没有用于校准的样本；请选择至少含一个样本的数据。</translation>
    </message>
    <message>
        <source>Calibrating</source>
        <translation>正在校准</translation>
    </message>
    <message>
        <source>Shapes {a} and {b} can't be compared.</source>
        <translation>形状 {a} 与 {b} 无法比较。</translation>
    </message>
    <message>
        <source>There is no metric {name}; choose among {names}.</source>
        <translation>没有指标 {name}；请从 {names} 中选择。</translation>
    </message>
    <message>
        <source>{path} is too large for a manifest; choose the folder of a dump.</source>
        <translation>{path} 对清单来说过大；请选择转储的文件夹。</translation>
    </message>
    <message>
        <source>{path} is not the manifest of a dump: {reason}.</source>
        <translation>{path} 不是转储的清单：{reason}。</translation>
    </message>
    <message>
        <source>{path} was written by a newer version ({version}); update Mixbit.</source>
        <translation>{path} 由更新的版本（{version}）写出；请更新 Mixbit。</translation>
    </message>
    <message>
        <source>{path} names {file}, outside its folder; it is not read.</source>
        <translation>{path} 指向文件夹之外的 {file}；不予读取。</translation>
    </message>
    <message>
        <source>{path} holds {dtype} {shape}, but the manifest says {want_dtype} {want_shape}; dump it again.</source>
        <translation>{path} 内容为 {dtype} {shape}，而清单记为 {want_dtype} {want_shape}；请重新转储。</translation>
    </message>
    <message>
        <source>{path} is missing; dump it again.</source>
        <translation>{path} 缺失；请重新转储。</translation>
    </message>
    <message>
        <source>{path} is truncated or is no .npy file ({reason}); dump it again.</source>
        <translation>{path} 被截断或不是 .npy 文件（{reason}）；请重新转储。</translation>
    </message>
    <message>
        <source>{path} holds no numbers; give a .npy file with one array.</source>
        <translation>{path} 中没有数值；请给出含单个数组的 .npy 文件。</translation>
    </message>
    <message>
        <source>There is no sample {sample}; there are {count}.</source>
        <translation>没有样本 {sample}；共有 {count} 个。</translation>
    </message>
    <message>
        <source>Writing values</source>
        <translation>正在写入数值</translation>
    </message>
    <message>
        <source>it holds text, not numbers</source>
        <translation>其中是文本而非数值</translation>
    </message>
    <message>
        <source>{path} is a file, and a dump is a folder; choose another name.</source>
        <translation>{path} 是文件，而转储是文件夹；请换一个名称。</translation>
    </message>
    <message>
        <source>{path} holds a dump of another model, plan or data; choose another folder, nothing was written.</source>
        <translation>{path} 中是其他模型、方案或数据的转储；请另选文件夹，未写入任何内容。</translation>
    </message>
    <message>
        <source>This dump takes {wanted} MB, more than the limit of {limit} MB; choose fewer kernels or samples, or raise the limit.</source>
        <translation>此转储需 {wanted} MB，超过 {limit} MB 的上限；请减少算子或样本，或提高上限。</translation>
    </message>
    <message>
        <source>{path}: the dump takes {wanted} MB, and {free} MB are free; choose another place or fewer kernels.</source>
        <translation>{path}：转储需 {wanted} MB，而可用空间为 {free} MB；请另选位置或减少算子。</translation>
    </message>
    <message>
        <source>There is no folder {path} to write into; choose another place.</source>
        <translation>没有可写入的文件夹 {path}；请另选位置。</translation>
    </message>
    <message>
        <source>There are no samples to run; choose data with at least one.</source>
        <translation>没有可运行的样本；请选择至少含一个样本的数据。</translation>
    </message>
    <message>
        <source>Rounding weights</source>
        <translation>正在量化权重</translation>
    </message>
    <message>
        <source>Layer {name} can't be rounded by {method}: it takes convolutions that mix channels, Gemm and MatMul with a plain weight matrix; choose another method for it.</source>
        <translation>层 {name} 不能用 {method} 量化：该方法只适用于混合通道的卷积、Gemm 以及权重为普通矩阵的 MatMul；请为其选择其他方法。</translation>
    </message>
    <message>
        <source>There are {count} labels for each sample, but no output with that many rows of classes; give one label for each row of an output.</source>
        <translation>每个样本有 {count} 个标签，但没有行数相同的类别输出；请为输出的每一行给一个标签。</translation>
    </message>
    <message>
        <source>Label {label} is no class of output {name}, which counts them from 0 to {last}; correct the labels (-1 where there is none).</source>
        <translation>标签 {label} 不是输出 {name} 的类别，其类别编号从 0 到 {last}；请更正标签（没有标签处填 -1）。</translation>
    </message>
    <message>
        <source>Running the plan</source>
        <translation>正在运行方案</translation>
    </message>
    <message>
        <source>Running the reference</source>
        <translation>正在运行参考</translation>
    </message>
    <message>
        <source>Layer {name} can't be run: {reason}</source>
        <translation>无法运行层 {name}：{reason}</translation>
    </message>
    <message>
        <source>no layer with weights of its own is next to it</source>
        <translation>它旁边没有带自身权重的层</translation>
    </message>
    <message>
        <source>each of its channels has weights of its own, so that there is nothing to weigh against each other</source>
        <translation>它的每个通道各有自己的权重，因此没有可以相互权衡的对象</translation>
    </message>
    <message>
        <source>Layer {name} can't take the weight method {method}: {reason}; choose another method for it.</source>
        <translation>层 {name} 不能采用权重方法 {method}：{reason}；请为它选择其他方法。</translation>
    </message>
    <message>
        <source>Layer {layer}: {operator} with {what} has no counterpart in opset 21; the file can't be written.</source>
        <translation>层 {layer}：带 {what} 的 {operator} 在 opset 21 中没有对应；无法写入文件。</translation>
    </message>
    <message>
        <source>{metric} is no metric; write FILE.py:FUNCTION.</source>
        <translation>{metric} 不是有效指标；请写成 FILE.py:FUNCTION。</translation>
    </message>
    <message>
        <source>{path} does not exist; give a Python file with the metric.</source>
        <translation>{path} 不存在；请给出包含该指标的 Python 文件。</translation>
    </message>
    <message>
        <source>A metric needs a time limit above 0 seconds, not {seconds}.</source>
        <translation>指标的时间上限须大于 0 秒，而不是 {seconds}。</translation>
    </message>
    <message>
        <source>{file} has no function {name}.</source>
        <translation>{file} 中没有函数 {name}。</translation>
    </message>
    <message>
        <source>{metric} has to return one finite number, and returned {value}.</source>
        <translation>{metric} 必须返回一个有限数值，实际返回 {value}。</translation>
    </message>
    <message>
        <source>{metric} failed: {error}</source>
        <translation>{metric} 失败：{error}</translation>
    </message>
    <message>
        <source>{metric} took more than {count} GB of memory and was stopped; let it keep less, or evaluate fewer samples.</source>
        <translation>{metric} 占用内存超过 {count} GB，已被终止；请让它少保留一些数据，或减少评估样本。</translation>
    </message>
    <message>
        <source>{metric} took longer than {seconds} s and was stopped; make it faster, or give it more time.</source>
        <translation>{metric} 超过 {seconds} 秒，已被停止；请加快它，或给它更多时间。</translation>
    </message>
    <message>
        <source>{metric} ended its process without an answer (exit code {code}).</source>
        <translation>{metric} 的进程未给出结果便结束（退出码 {code}）。</translation>
    </message>
    <message>
        <source>The model has no layer {id}; the plan belongs to another model.</source>
        <translation>模型没有层 {id}；该方案属于其他模型。</translation>
    </message>
    <message>
        <source>{word} in the scheme {text} can't be read; behind the widths may stand {words}.</source>
        <translation>无法识别格式 {text} 中的 {word}；位宽之后可写 {words}。</translation>
    </message>
    <message>
        <source>There is no scheme named {name}; choose one of {names}, or write widths and grain, as in w3a16:group64.</source>
        <translation>没有名为 {name} 的量化格式；请从 {names} 中选择，或写出位宽与粒度，如 w3a16:group64。</translation>
    </message>
    <message>
        <source>{path} is not a Mixbit plan: {reason}.</source>
        <translation>{path} 不是 Mixbit 方案：{reason}。</translation>
    </message>
    <message>
        <source>{path}: the scheme of kernel {name} has a field {field} that is not known; correct it, or update Mixbit.</source>
        <translation>{path}：算子 {name} 的格式中有未知字段 {field}；请更正，或更新 Mixbit。</translation>
    </message>
    <message>
        <source>{path} has the version {got}, which there has never been.</source>
        <translation>{path} 的版本为 {got}，该版本从未存在。</translation>
    </message>
    <message>
        <source>{path} is a plan for another model ({other}, hash {hash}), not for {model}; open that model, or take what fits by the names of kernels (--any-model on the command line).</source>
        <translation>{path} 是另一个模型（{other}，哈希 {hash}）的方案，不是 {model} 的；请打开那个模型，或按算子名称应用能对上的部分（命令行用 --any-model）。</translation>
    </message>
    <message>
        <source>{path} lists kernel {name} twice; keep one of the two entries.</source>
        <translation>{path} 中算子 {name} 出现两次；请只保留一条。</translation>
    </message>
    <message>
        <source>{path} names kernel {name} (weight {weight}), which {model} lacks under these fusion rules.</source>
        <translation>{path} 提到算子 {name}（权重 {weight}），在当前融合规则下 {model} 没有它。</translation>
    </message>
    <message>
        <source>{path} has no kernel in common with {model}.</source>
        <translation>{path} 与 {model} 没有共同的算子。</translation>
    </message>
    <message>
        <source>Kernel {where}: there is no scheme named {name}; choose one of {names}.</source>
        <translation>算子 {where}：没有名为 {name} 的格式；请从 {names} 中选择。</translation>
    </message>
    <message>
        <source>Kernel {where}: BF16 (the field brain) is a float of 16 bits; there is none of {bits} bits.</source>
        <translation>算子 {where}：BF16（字段 brain）是 16 位浮点数；不存在 {bits} 位的 BF16。</translation>
    </message>
    <message>
        <source>Kernel {where}: the field brain goes with floats of 16 bits, not with integers.</source>
        <translation>算子 {where}：字段 brain 只用于 16 位浮点数，不用于整数。</translation>
    </message>
    <message>
        <source>Kernel {where}: weights of {bits} bits don't exist; integers have 2, 3, 4, 8 or 16, floats 16 or 32.</source>
        <translation>算子 {where}：没有 {bits} 位权重；整数为 2、3、4、8 或 16 位，浮点为 16 或 32 位。</translation>
    </message>
    <message>
        <source>Kernel {where}: activations of {bits} bits don't exist; integers have 4 (static ranges only), 8 or 16, floats 16 or 32.</source>
        <translation>算子 {where}：没有 {bits} 位激活；整数为 4 位（仅限静态范围）、8 或 16 位，浮点为 16 或 32 位。</translation>
    </message>
    <message>
        <source>Kernel {where}: a group of {group} weights is impossible; take 16 to 256.</source>
        <translation>算子 {where}：分组大小 {group} 不可用；请取 16 到 256。</translation>
    </message>
    <message>
        <source>All FP16</source>
        <translation>全部 FP16</translation>
    </message>
    <message>
        <source>All INT8</source>
        <translation>全部 INT8</translation>
    </message>
    <message>
        <source>All INT4</source>
        <translation>全部 INT4</translation>
    </message>
    <message>
        <source>First and last FP16, rest INT8</source>
        <translation>首尾 FP16，其余 INT8</translation>
    </message>
    <message>
        <source>Depthwise: so few weights save next to nothing at 4 bits, and their errors don't average out. Presets and bulk edits take INT8 here instead of INT4; set alone, the kernel takes INT4 all the same.</source>
        <translation>深度卷积：权重太少，用 4 比特几乎省不下空间，误差也无法平均掉。预设和批量修改在此用 INT8 代替 INT4；单独设置时仍可用 INT4。</translation>
    </message>
    <message>
        <source>Recurrent: rounding errors of 4 bits feed back at every step. Presets and bulk edits take INT8 here instead of INT4; set alone, the kernel takes INT4 all the same.</source>
        <translation>循环层：4 比特的舍入误差会在每一步反馈。预设和批量修改在此用 INT8 代替 INT4；单独设置时仍可用 INT4。</translation>
    </message>
    <message>
        <source>what it reads also leaves the model or enters a branch, where no scale belongs</source>
        <translation>它读取的张量同时是模型输出或进入分支，那里不能带缩放</translation>
    </message>
    <message>
        <source>what is in front of it also goes elsewhere, where no scale belongs</source>
        <translation>它前面的结果还流向别处，那里不能带缩放</translation>
    </message>
    <message>
        <source>it reads an input of the model, which takes no scale</source>
        <translation>它读取模型输入，而模型输入不能缩放</translation>
    </message>
    <message>
        <source>the norm in front of it spans several axes</source>
        <translation>它前面的归一化跨多个轴</translation>
    </message>
    <message>
        <source>the sum in front of it has a second part that takes no scale</source>
        <translation>它前面的加法有另一部分不能缩放</translation>
    </message>
    <message>
        <source>neither factor of the product in front of it takes a scale</source>
        <translation>它前面乘法的两个因子都不能缩放</translation>
    </message>
    <message>
        <source>{op} in front of it does not pass a scale on</source>
        <translation>它前面的 {op} 不能传递缩放</translation>
    </message>
    <message>
        <source>no activation meets its weights</source>
        <translation>没有激活与它的权重相乘</translation>
    </message>
    <message>
        <source>what it reads is also read by a layer that has no weights to take up the scale</source>
        <translation>它读取的张量也被没有权重来吸收缩放的层读取</translation>
    </message>
    <message>
        <source>its weights have no columns that could take up a scale for each channel of its input</source>
        <translation>它的权重没有能按输入通道吸收缩放的列</translation>
    </message>
    <message>
        <source>{nan} of the weights are NaN and {infinite} infinite, and stay so in {format}.</source>
        <translation>{nan} 个权重为 NaN，{infinite} 个为无穷；在 {format} 中保持不变。</translation>
    </message>
    <message>
        <source>{nan} of the weights are NaN and {infinite} infinite: rounded as 0 and as the largest others.</source>
        <translation>{nan} 个权重为 NaN，{infinite} 个为无穷：分别取为 0 和其余权重的最大值。</translation>
    </message>
    <message>
        <source>{count} {count:weight is|weights are} beyond {most} and {count:becomes|become} infinite in {format}.</source>
        <translation>{count} 个权重超出 {most}，在 {format} 中变为无穷。</translation>
    </message>
    <message>
        <source>{count} of {all} channels {count:is|are} so small that FP16 makes {count:it|them} 0.</source>
        <translation>{all} 个通道中有 {count} 个数值过小，在 FP16 中变为 0。</translation>
    </message>
    <message>
        <source>{count} of {all} channels {count:is|are} all zeros: exact in every format, and could be pruned.</source>
        <translation>{all} 个通道中有 {count} 个全为零：任何格式下都精确，可以剪枝。</translation>
    </message>
    <message>
        <source>{count} {count:weight is|weights are} denormal, and 0 on most devices.</source>
        <translation>{count} 个权重为非规格化数，在多数设备上为 0。</translation>
    </message>
    <message>
        <source>{count} {count:weight is|weights are} beyond 65504: infinite in FP16, but not in the format here.</source>
        <translation>{count} 个权重超出 65504：在 FP16 中为无穷，但在当前格式中不会。</translation>
    </message>
    <message>
        <source>{count} of {all} channels would be 0 in FP16, but not in the format here.</source>
        <translation>{all} 个通道中有 {count} 个在 FP16 中会变为 0，但在当前格式中不会。</translation>
    </message>
    <message>
        <source>{count} of {all} channels {count:repeats|repeat} one value: exact in integers.</source>
        <translation>{all} 个通道中有 {count} 个只重复一个值：整数格式下精确。</translation>
    </message>
    <message>
        <source>Layer {name} wants a corrected bias, which needs calibration samples; give data.</source>
        <translation>层 {name} 要求偏置校正，需要校准样本；请提供数据。</translation>
    </message>
    <message>
        <source>There is no {kind} weight format of {bits} bits; choose one of {known}.</source>
        <translation>没有 {bits} 位的 {kind} 权重格式；请从 {known} 中选择。</translation>
    </message>
    <message>
        <source>BF16 is a floating-point format of 16 bits; there is none of {bits}.</source>
        <translation>BF16 是 16 位浮点格式；不存在 {bits} 位的 BF16。</translation>
    </message>
    <message>
        <source>A group of {group} weights can't be; choose 16, 32, 64, 128 or 256.</source>
        <translation>分组大小不能为 {group}；请选择 16、32、64、128 或 256。</translation>
    </message>
    <message>
        <source>The weight method {method} needs calibration samples; give data, or choose one of {known}.</source>
        <translation>权重方法 {method} 需要校准样本；请提供数据，或选择 {known} 之一。</translation>
    </message>
    <message>
        <source>There is no weight method {method}; choose one of {known}.</source>
        <translation>没有权重方法 {method}；请从 {known} 中选择。</translation>
    </message>
    <message>
        <source>Unsaved edits can't be kept for the case of a crash; save often. Reason: {reason}</source>
        <translation>无法为意外退出保留未保存的修改；请经常保存。原因：{reason}</translation>
    </message>
    <message>
        <source>{folder} can't be used.</source>
        <translation>{folder} 无法使用。</translation>
    </message>
    <message>
        <source>Opening {file}</source>
        <translation>正在打开 {file}</translation>
    </message>
    <message>
        <source>Calibrating and running the reference</source>
        <translation>校准并运行参考</translation>
    </message>
    <message>
        <source>Releasing memory</source>
        <translation>释放内存</translation>
    </message>
    <message>
        <source>Simulating on {device}</source>
        <translation>在 {device} 上仿真</translation>
    </message>
    <message>
        <source>Evaluating plan {plan}</source>
        <translation>评估方案 {plan}</translation>
    </message>
    <message>
        <source>Evaluating the plan</source>
        <translation>正在评估方案</translation>
    </message>
    <message>
        <source>Local errors of all precisions</source>
        <translation>各精度的局部误差</translation>
    </message>
    <message>
        <source>Ranges on evaluation samples</source>
        <translation>评估样本上的取值范围</translation>
    </message>
    <message>
        <source>Local error of {done} of {all}</source>
        <translation>局部误差 {done} / {all}</translation>
    </message>
    <message>
        <source>{path}: none of its {count} names is a layer of this model; see the table of names.</source>
        <translation>{path}：其 {count} 个名称都不是此模型的层；请查看名称表。</translation>
    </message>
    <message>
        <source>Reading the dump {file}</source>
        <translation>正在读取转储 {file}</translation>
    </message>
    <message>
        <source>Reading the fusion table {file}</source>
        <translation>正在读取融合表 {file}</translation>
    </message>
    <message>
        <source>Reading values</source>
        <translation>读取数值</translation>
    </message>
    <message>
        <source>{kernel}: A has the shape {a} and B {b}; they can't be compared.</source>
        <translation>{kernel}：A 的形状为 {a}，B 为 {b}；无法比对。</translation>
    </message>
    <message>
        <source>{kernel} has no weights to compare.</source>
        <translation>{kernel} 没有可比对的权重。</translation>
    </message>
    <message>
        <source>{source} holds integer codes, not values: only their pattern can be compared.</source>
        <translation>{source} 中是整数编码而非数值：只能比对其分布形态。</translation>
    </message>
    <message>
        <source>{weight} is shown folded: times the factor by channel of the BatchNorm behind it, as a compiler makes it. The file's own values differ from it by that factor; this is no error.</source>
        <translation>{weight} 显示的是折叠后的值：已逐通道乘上其后 BatchNorm 的系数，与编译器一致。文件中的原始值与之相差该系数；这不是误差。</translation>
    </message>
    <message>
        <source>{kernel}: only its first output is emulated.</source>
        <translation>{kernel}：只仿真其第一个输出。</translation>
    </message>
    <message>
        <source>{path} has no weight {name}; choose another kernel or correct the names.</source>
        <translation>{path} 中没有权重 {name}；请选择其他算子或更正名称。</translation>
    </message>
    <message>
        <source>{path} has no output of {kernel} for sample {sample}; choose another kernel or correct the names.</source>
        <translation>{path} 没有 {kernel} 在样本 {sample} 上的输出；请另选算子或更正名称。</translation>
    </message>
    <message>
        <source>{dump} was fed other inputs: the difference means little.</source>
        <translation>{dump} 的输入不同：差异意义不大。</translation>
    </message>
    <message>
        <source>There is no kept plan {name} any more.</source>
        <translation>保留的方案 {name} 已不存在。</translation>
    </message>
    <message>
        <source>{scheme} for {kernel}</source>
        <translation>{kernel} 设为 {scheme}</translation>
    </message>
    <message>
        <source>{scheme} for {count} {count:kernel|kernels}</source>
        <translation>{count} 个算子设为 {scheme}</translation>
    </message>
    <message>
        <source>{count} {count:kernel|kernels} can't be rounded as {scheme} says, and {count:takes|take} the nearest method.</source>
        <translation>{count} 个算子不能按 {scheme} 取整，改用最接近的方法。</translation>
    </message>
    <message>
        <source>{count} more {count:kernel shares|kernels share} the scale and {count:takes|take} the method too.</source>
        <translation>另有 {count} 个算子共用该缩放，也采用此方法。</translation>
    </message>
    <message>
        <source>{count} depthwise {count:kernel takes|kernels take} {gets} instead of {asked}: so few weights save nothing at 4 bits.</source>
        <translation>{count} 个深度卷积算子采用 {gets} 而非 {asked}：权重太少，4 位几乎不省空间。</translation>
    </message>
    <message>
        <source>Rounding by GPTQ takes about {seconds} s here; until then figures are those of before. Jobs shows how far it is and can stop it.</source>
        <translation>此处用 GPTQ 取整约需 {seconds} 秒；在此之前显示的仍是先前的数值。可在任务中查看进度并停止。</translation>
    </message>
    <message>
        <source>{count} locked {count:layer keeps its|layers keep their} precision.</source>
        <translation>{count} 个已锁定的层保持原有精度。</translation>
    </message>
    <message>
        <source>Lock {count} {count:kernel|kernels}</source>
        <translation>锁定 {count} 个算子</translation>
    </message>
    <message>
        <source>Unlock {count} {count:kernel|kernels}</source>
        <translation>解除锁定 {count} 个算子</translation>
    </message>
    <message>
        <source>Using synthetic samples instead: errors are indicative only.</source>
        <translation>改用合成样本：误差仅供参考。</translation>
    </message>
    <message>
        <source>A sum reaches {sum}, which an accumulator of {bits} bits does not hold: it would wrap on the device.</source>
        <translation>累加和达到 {sum}，{bits} 位累加器容纳不下：在设备上会回绕。</translation>
    </message>
    <message>
        <source>Sums are kept in 64 bits: products of INT16 by INT16 leave no room in 32.</source>
        <translation>累加和用 64 位保存：INT16 乘 INT16 的乘积在 32 位中没有余量。</translation>
    </message>
    <message>
        <source>Rows of the table are unpacked and scaled: there are no sums.</source>
        <translation>查表的行被解包并乘以缩放系数：没有累加。</translation>
    </message>
    <message>
        <source>Emulated are the products of its input; its state stays in floats, and meets unpacked weights.</source>
        <translation>模拟的是输入的乘积；其状态保持浮点，与解包后的权重相乘。</translation>
    </message>
    <message>
        <source>{path} is the opened model, or holds its weights, and is never written; choose another name.</source>
        <translation>{path} 是已打开的模型或存有其权重，绝不会被写入；请换一个名称。</translation>
    </message>
    <message>
        <source>{count} {count:kernel stays|kernels stay} at {scheme} and {count:takes|take} {size} ({least} at best): {kernels}. {reason}</source>
        <translation>{count} 个算子停留在 {scheme}，占用 {size}（最小可为 {least}）：{kernels}。{reason}</translation>
    </message>
    <message>
        <source>{scheme} everywhere would reach {value} ({metric}), but is {share} % beyond the limit of {limit}; no mix within the limits that was measured comes up to it.</source>
        <translation>全部用 {scheme} 可达 {value}（{metric}），但超出{limit}限制 {share} %；限制之内已实测的混合方案都不及它。</translation>
    </message>
    <message>
        <source>{most} plans are kept already; delete one first.</source>
        <translation>已保留 {most} 个方案；请先删除一个。</translation>
    </message>
    <message>
        <source>There is no kept plan named {name}; there are {names}.</source>
        <translation>没有名为 {name} 的已保留方案；现有：{names}。</translation>
    </message>
    <message>
        <source>A plan's name has 1 to {most} characters; this one has {count}.</source>
        <translation>方案名称须为 1 到 {most} 个字符；当前为 {count} 个。</translation>
    </message>
    <message>
        <source>There is a plan named {name} already; choose another name.</source>
        <translation>已有名为 {name} 的方案；请换一个名称。</translation>
    </message>
    <message>
        <source>Reading the profile {file}</source>
        <translation>正在读取性能数据 {file}</translation>
    </message>
    <message>
        <source>Fitting {device} to measured times</source>
        <translation>正在按实测时间拟合 {device}</translation>
    </message>
    <message>
        <source>Wrote {path}.</source>
        <translation>已写入 {path}。</translation>
    </message>
    <message>
        <source>Reading latencies from {file}</source>
        <translation>正在从 {file} 读取时延</translation>
    </message>
    <message>
        <source>Looked up row by row in the packed table.</source>
        <translation>在打包的表中逐行查取。</translation>
    </message>
    <message>
        <source>Run on packed weights, at once: the Cube has no sums of 64 bits.</source>
        <translation>以打包权重一次完成：Cube 没有 64 位的累加。</translation>
    </message>
    <message>
        <source>Run as an FP16 product on widened weights: {reason}</source>
        <translation>以展开后的权重做 FP16 乘法：{reason}</translation>
    </message>
    <message>
        <source>Run on packed weights, at once: too large to be multiplied block by block here.</source>
        <translation>用打包权重一次算完：太大，这里不逐块相乘。</translation>
    </message>
    <message>
        <source>Run on packed weights in the Cube's blocks (FRACTAL_NZ), sums in 32 bits.</source>
        <translation>用打包权重按 Cube 的分块（FRACTAL_NZ）运行，32 位累加。</translation>
    </message>
    <message>
        <source>QuantMatMul takes one matrix, not {count} axes of weights.</source>
        <translation>QuantMatMul 只接受一个矩阵，而权重有 {count} 个轴。</translation>
    </message>
    <message>
        <source>QuantMatMul knows no scales of input channels, which this weight method needs.</source>
        <translation>QuantMatMul 没有输入通道的缩放，而这种权重方法需要它。</translation>
    </message>
    <message>
        <source>Run by QuantMatMul (calls × rows: {rows}).</source>
        <translation>由 QuantMatMul 运行（调用次数 × 行数：{rows}）。</translation>
    </message>
    <message>
        <source>{kernel}: FusedNormBiasGELU takes one input, not {count}.</source>
        <translation>{kernel}：FusedNormBiasGELU 只接受一个输入，而不是 {count} 个。</translation>
    </message>
    <message>
        <source>{kernel}: its nodes are not a layer norm, a bias and a GELU of one input.</source>
        <translation>{kernel}：它的节点不是一个输入上的 LayerNorm、偏置和 GELU。</translation>
    </message>
    <message>
        <source>Run by FusedNormBiasGELU, GELU in its {form} form.</source>
        <translation>由 FusedNormBiasGELU 运行，GELU 取 {form} 形式。</translation>
    </message>
    <message>
        <source>The layers keep the precision that the file has: {schemes}.</source>
        <translation>各层保持文件已有的精度：{schemes}。</translation>
    </message>
    <message>
        <source>The plan starts with the precision that the file has, {schemes}; {fixed} of these layers keep it.</source>
        <translation>方案从文件已有的精度开始：{schemes}；其中 {fixed} 层保持不变。</translation>
    </message>
    <message>
        <source>The plan starts with the precision that the file has: {schemes}.</source>
        <translation>方案从文件已有的精度开始：{schemes}。</translation>
    </message>
    <message>
        <source>Computing {metric}</source>
        <translation>正在计算 {metric}</translation>
    </message>
    <message>
        <source>Kept plan {name} is left out. {problem}</source>
        <translation>已忽略保留的方案 {name}。{problem}</translation>
    </message>
    <message>
        <source>locks</source>
        <translation>锁定</translation>
    </message>
    <message>
        <source>the look of the window</source>
        <translation>窗口布局</translation>
    </message>
    <message>
        <source>notes</source>
        <translation>备注</translation>
    </message>
    <message>
        <source>kept plans</source>
        <translation>保存的方案</translation>
    </message>
    <message>
        <source>{path} is not a Mixbit project: {reason}.</source>
        <translation>{path} 不是 Mixbit 项目：{reason}。</translation>
    </message>
    <message>
        <source>{path} is damaged; what can be read of it is opened.</source>
        <translation>{path} 已损坏；已打开其中可读取的部分。</translation>
    </message>
    <message>
        <source>{path} is damaged; what can be read of it is opened, without: {parts}.</source>
        <translation>{path} 已损坏；已打开其中可读取的部分，缺少：{parts}。</translation>
    </message>
    <message>
        <source>{file} was changed on disk; here it is as it was opened. Open it again for the new one.</source>
        <translation>磁盘上的 {file} 已更改；此处仍是打开时的内容。要使用新文件，请重新打开。</translation>
    </message>
    <message>
        <source>{file} was written over while it was open: figures would mix two models. Open the model again.</source>
        <translation>{file} 在打开期间被覆盖写入：数值会混合两个模型。请重新打开模型。</translation>
    </message>
    <message>
        <source>Comparing weight methods</source>
        <translation>正在比较权重方法</translation>
    </message>
    <message>
        <source>Choosing weight methods</source>
        <translation>正在择优权重方法</translation>
    </message>
    <message>
        <source>No weight method gains anything at the output; the plan stays as it is.</source>
        <translation>没有权重方法能改善输出；方案保持不变。</translation>
    </message>
    <message>
        <source>Weight methods for {count} {count:kernel|kernels}: output SQNR {before} dB before, {after} dB after.</source>
        <translation>{count} 个算子的权重方法：输出 SQNR 由 {before} dB 变为 {after} dB。</translation>
    </message>
    <message>
        <source>Weight methods for {count} {count:kernel|kernels}</source>
        <translation>{count} 个算子的权重方法</translation>
    </message>
    <message>
        <source>Local error of a candidate</source>
        <translation>候选方案的局部误差</translation>
    </message>
    <message>
        <source>{path} was changed by another window since it was opened here; save under another name, or overwrite it on purpose.</source>
        <translation>{path} 在此处打开之后已被另一个窗口修改；请另存为其他名称，或明确选择覆盖。</translation>
    </message>
    <message>
        <source>{name} is being recovered in another window.</source>
        <translation>{name} 正在另一个窗口中恢复。</translation>
    </message>
    <message>
        <source>There is no sample model named {name}; there are {names}.</source>
        <translation>没有名为 {name} 的示例模型；有 {names}。</translation>
    </message>
    <message>
        <source>Searching a plan</source>
        <translation>正在搜索方案</translation>
    </message>
    <message>
        <source>Measured {done} of {all} plans</source>
        <translation>已测 {done}/{all} 个方案</translation>
    </message>
    <message>
        <source>Pareto front</source>
        <translation>帕累托前沿</translation>
    </message>
    <message>
        <source>What to raise next</source>
        <translation>下一步提升什么</translation>
    </message>
    <message>
        <source>Measuring what to raise next</source>
        <translation>正在实测下一步提升什么</translation>
    </message>
    <message>
        <source>Opened {file}: {count} {count:kernel|kernels}.</source>
        <translation>已打开 {file}：{count} 个算子。</translation>
    </message>
    <message>
        <source>This project is open in another window; saving asks first.</source>
        <translation>此项目已在另一个窗口中打开；保存时会先询问。</translation>
    </message>
    <message>
        <source>{problem} {device} is simulated instead.</source>
        <translation>{problem} 改为仿真 {device}。</translation>
    </message>
    <message>
        <source>{file} is another model than before: the file was replaced while it was open, and is read anew.</source>
        <translation>{file} 已不是原来的模型：文件在打开期间被替换，已重新读取。</translation>
    </message>
    <message>
        <source>Fused anew: {count} {count:kernel|kernels} whose precision was set {count:is|are} no more; new kernels take FP16.</source>
        <translation>已重新融合：{count} 个设过精度的算子不复存在；新算子取 FP16。</translation>
    </message>
    <message>
        <source>{count} {count:step|steps} of the undo history went with kernels that are no more.</source>
        <translation>撤销记录中有 {count} 步随不复存在的算子一并删去。</translation>
    </message>
    <message>
        <source>Figures of the last edit are not there yet: {file} leaves them out.</source>
        <translation>最近一次修改的数值尚未就绪：{file} 中不包含它们。</translation>
    </message>
    <message>
        <source>{kernel}: {asked} becomes {gets} there. {reason}</source>
        <translation>{kernel}：{asked} 在目标工具链中变为 {gets}。{reason}</translation>
    </message>
    <message>
        <source>Exporting {file}</source>
        <translation>导出 {file}</translation>
    </message>
    <message>
        <source>Plan {file}</source>
        <translation>方案 {file}</translation>
    </message>
    <message>
        <source>Saved {path}.</source>
        <translation>已保存 {path}。</translation>
    </message>
    <message>
        <source>The weight is shared with {others}. Each has a precision of its own: where the format is the same, one copy is stored, else one for each format.</source>
        <translation>该权重与 {others} 共用。各自可有不同的精度：格式相同时只存一份，否则每种格式各存一份。</translation>
    </message>
    <message>
        <source>The weight is shared with {others}, which reads it in another layout. Each has a precision of its own and stores a copy of its own.</source>
        <translation>该权重与 {others} 共用，但后者以另一种布局读取。各自可有不同的精度，并各存一份。</translation>
    </message>
    <message>
        <source>{others} reads the same weight and keeps its precision: the weight is stored in both formats.</source>
        <translation>{others} 读取同一权重并保持原精度：该权重将以两种格式存储。</translation>
    </message>
    <message>
        <source>It does not run at the sizes that are usual, {tried}; {taken} is taken for its free dimensions.</source>
        <translation>该模型在常用尺寸 {tried} 下无法运行；自由维度改用 {taken}。</translation>
    </message>
    <message>
        <source>{reason} At {shapes}; say which sizes it runs at.</source>
        <translation>{reason}当时的尺寸为 {shapes}；请指定可运行的尺寸。</translation>
    </message>
    <message>
        <source>{reason} At {shapes}; other sizes may do.</source>
        <translation>{reason}当时的尺寸为 {shapes}；可换用其他尺寸。</translation>
    </message>
    <message>
        <source>Measured {done} of {all} cells</source>
        <translation>已测 {done} / {all} 格</translation>
    </message>
    <message>
        <source>{path} can't be made ({reason}).</source>
        <translation>无法创建 {path}（{reason}）。</translation>
    </message>
    <message>
        <source>{problem} Sweeps go on, but are not kept for the next start.</source>
        <translation>{problem}扫描继续进行，但结果不会保留到下次启动。</translation>
    </message>
    <message>
        <source>Estimating sensitivity</source>
        <translation>正在估计敏感度</translation>
    </message>
    <message>
        <source>Refining the estimate of sensitivity</source>
        <translation>正在细化敏感度估计</translation>
    </message>
    <message>
        <source>Every layer of the plan is in full precision; there is nothing to restore.</source>
        <translation>方案中各层均为全精度，没有可还原的层。</translation>
    </message>
    <message>
        <source>Sensitivity, measured one in</source>
        <translation>敏感度，单层量化实测</translation>
    </message>
    <message>
        <source>Sensitivity, measured one out</source>
        <translation>敏感度，单层还原实测</translation>
    </message>
    <message>
        <source>Highest output SQNR</source>
        <translation>输出 SQNR 最高</translation>
    </message>
    <message>
        <source>Lowest latency</source>
        <translation>时延最低</translation>
    </message>
    <message>
        <source>Smallest model</source>
        <translation>模型最小</translation>
    </message>
    <message>
        <source>Least energy per run</source>
        <translation>单次能耗最低</translation>
    </message>
    <message>
        <source>Fewest bit operations</source>
        <translation>位运算量最少</translation>
    </message>
    <message>
        <source>output SQNR</source>
        <translation>输出 SQNR</translation>
    </message>
    <message>
        <source>accuracy drop</source>
        <translation>准确率下降</translation>
    </message>
    <message>
        <source>Fusing</source>
        <translation>正在融合</translation>
    </message>
    <message>
        <source>At least one evaluation sample is needed; {count} were asked for.</source>
        <translation>至少需要一个评估样本；要求的是 {count} 个。</translation>
    </message>
    <message>
        <source>Evaluated on {count} samples instead of {usual}: the activations of more would leave too little memory for the weights, and each change of the plan would take far longer.</source>
        <translation>使用 {count} 个样本评估，而非 {usual} 个：样本再多，激活占用的内存会使权重放不下，每次修改方案都要等待久得多。</translation>
    </message>
    <message>
        <source>Evaluated on the calibration samples: errors are too optimistic; give separate samples.</source>
        <translation>用校准样本评估：误差过于乐观；请提供不同的样本。</translation>
    </message>
    <message>
        <source>Calibrated on the evaluation samples: errors are too optimistic; give separate samples.</source>
        <translation>用评估样本校准：误差过于乐观；请提供不同的样本。</translation>
    </message>
    <message>
        <source>The model has no inputs, so every sample is the same.</source>
        <translation>模型没有输入，所以每个样本都相同。</translation>
    </message>
    <message>
        <source>{layer} gives {count} values that are NaN or Inf in full precision, although the samples are finite: the error of {layers} layers can't be measured; check the model and the preprocessing.</source>
        <translation>样本都是有限值，但 {layer} 在全精度下给出 {count} 个 NaN 或 Inf：{layers} 个层的误差无法测量；请检查模型和预处理。</translation>
    </message>
    <message>
        <source>Dask is not installed; install mixbit[cluster].</source>
        <translation>未安装 Dask；请安装 mixbit[cluster]。</translation>
    </message>
    <message>
        <source>No Dask scheduler answers at {address} ({reason}); start one or use --dask local.</source>
        <translation>{address} 处没有 Dask 调度器应答（{reason}）；请启动一个，或使用 --dask local。</translation>
    </message>
    <message>
        <source>Sending probes backwards</source>
        <translation>反向传播探针</translation>
    </message>
    <message>
        <source>The estimate of {name} is not a number; it is measured, not estimated.</source>
        <translation>{name} 的估计不是数字；改为测量而非估计。</translation>
    </message>
    <message>
        <source>A function of your own has no gradient and can't be estimated; sweep exactly.</source>
        <translation>自定义函数没有梯度，无法估计；请精确扫描。</translation>
    </message>
    <message>
        <source>A changed best class can't be estimated; sweep exactly, or choose KL as the metric.</source>
        <translation>无法估计首选类别的变化；请精确扫描，或选择 KL 作为度量。</translation>
    </message>
    <message>
        <source>The model's outputs are integers, which have no gradient; only an exact sweep can be made.</source>
        <translation>模型输出为整数，没有梯度；只能进行精确扫描。</translation>
    </message>
    <message>
        <source>All values of {outputs} are NaN or Inf in full precision, so that no error can be measured there; check the model and the preprocessing.</source>
        <translation>{outputs} 的所有值在全精度下均为 NaN 或 Inf，无法测量误差；请检查模型和预处理。</translation>
    </message>
    <message>
        <source>No gradient comes back through {operator}, so {name} is measured, not estimated.</source>
        <translation>梯度无法穿过 {operator}，因此 {name} 改为测量而非估计。</translation>
    </message>
    <message>
        <source>Only this layer quantized, all others in full precision</source>
        <translation>仅量化此层，其余保持全精度</translation>
    </message>
    <message>
        <source>All layers as in the plan, only this one restored</source>
        <translation>全部按方案，仅还原此层</translation>
    </message>
    <message>
        <source>The model has no figure {metric}; choose output SQNR.</source>
        <translation>模型没有 {metric} 指标；请选择输出 SQNR。</translation>
    </message>
    <message>
        <source>A one-out sweep needs a plan that quantizes something; choose one first.</source>
        <translation>单层还原扫描需要有量化的方案；请先选择方案。</translation>
    </message>
    <message>
        <source>its activations stay floats, so that there is nothing to smooth</source>
        <translation>它的激活保持浮点，无需平滑</translation>
    </message>
    <message>
        <source>its weights have more than one scale already</source>
        <translation>它的权重已有多个缩放因子</translation>
    </message>
    <message>
        <source>it is for convolutions that mix channels and for products</source>
        <translation>该方法用于混合通道的卷积和矩阵乘</translation>
    </message>
    <message>
        <source>{path}: layer {layer} can't be rounded by the weight method {method}; choose one of {known}.</source>
        <translation>{path}：层 {layer} 不能使用权重量化方法 {method}；请从 {known} 中选择。</translation>
    </message>
    <message>
        <source>Comparing plans by weight method</source>
        <translation>正在按权重方法比较方案</translation>
    </message>
    <message>
        <source>Keeping what helps</source>
        <translation>正在保留有益的方法</translation>
    </message>
    <message>
        <source>Output SQNR (dB)</source>
        <translation>输出 SQNR (dB)</translation>
    </message>
    <message>
        <source>SQNR before the last softmax (dB)</source>
        <translation>最后 softmax 之前的 SQNR (dB)</translation>
    </message>
    <message>
        <source>KL divergence (nats)</source>
        <translation>KL 散度 (nat)</translation>
    </message>
    <message>
        <source>Cosine distance</source>
        <translation>余弦距离</translation>
    </message>
    <message>
        <source>Changed best class</source>
        <translation>首选类别改变率</translation>
    </message>
    <message>
        <source>Change of your own metric</source>
        <translation>自定义指标的变化</translation>
    </message>
    <message>
        <source>The model doesn't end in a softmax or sigmoid of its own; choose output SQNR as the metric.</source>
        <translation>模型末尾没有自己的 softmax 或 sigmoid；请选择输出 SQNR 作为度量。</translation>
    </message>
    <message>
        <source>No output of the model holds classes; choose output SQNR as the metric.</source>
        <translation>模型没有类别输出；请选择输出 SQNR 作为度量。</translation>
    </message>
    <message>
        <source>A function of your own is asked by an exact sweep only; choose output SQNR as the metric.</source>
        <translation>自定义函数只由精确扫描调用；请选择输出 SQNR 作为指标。</translation>
    </message>
    <message>
        <source>The model has no layer {id} whose precision can be set.</source>
        <translation>模型没有可设置精度的层 {id}。</translation>
    </message>
    <message>
        <source>{layers} must agree, but they are locked to {schemes}; free one of them.</source>
        <translation>{layers} 须一致，但分别锁定为 {schemes}；请解锁其中之一。</translation>
    </message>
    <message>
        <source>{layers} have no scheme in common that is allowed; allow one for all of them.</source>
        <translation>{layers} 没有共同允许的格式；请允许一个共同的格式。</translation>
    </message>
    <message>
        <source>model size</source>
        <translation>模型大小</translation>
    </message>
    <message>
        <source>latency</source>
        <translation>时延</translation>
    </message>
    <message>
        <source>energy per run</source>
        <translation>单次能耗</translation>
    </message>
    <message>
        <source>bit operations</source>
        <translation>位运算量</translation>
    </message>
    <message>
        <source>peak memory</source>
        <translation>峰值内存</translation>
    </message>
    <message>
        <source>sustained latency</source>
        <translation>持续时延</translation>
    </message>
    <message>
        <source>accuracy</source>
        <translation>准确率</translation>
    </message>
    <message>
        <source>No layer of this model has weights whose precision can be set.</source>
        <translation>该模型没有可设置权重精度的层。</translation>
    </message>
    <message>
        <source>Measuring a proposed plan</source>
        <translation>正在测量候选方案</translation>
    </message>
    <message>
        <source>The budget {budget} is {value}; it must be above zero.</source>
        <translation>预算“{budget}”为 {value}，必须大于零。</translation>
    </message>
    <message>
        <source>The budget {budget} needs a device; choose one.</source>
        <translation>预算“{budget}”需要设备，请选择一个设备。</translation>
    </message>
    <message>
        <source>All else to {scheme}</source>
        <translation>其余全部改为 {scheme}</translation>
    </message>
    <message>
        <source>All to {scheme}</source>
        <translation>全部改为 {scheme}</translation>
    </message>
    <message>
        <source>{names} to {scheme}</source>
        <translation>{names} 改为 {scheme}</translation>
    </message>
    <message>
        <source>{names} and {count} more to {scheme}</source>
        <translation>{names} 等（另有 {count} 个）改为 {scheme}</translation>
    </message>
    <message>
        <source>All of block {name} to {scheme}</source>
        <translation>模块 {name} 全部改为 {scheme}</translation>
    </message>
    <message>
        <source>All kernels of kind {name} to {scheme}</source>
        <translation>所有 {name} 类算子改为 {scheme}</translation>
    </message>
    <message>
        <source>All {name} to {scheme}</source>
        <translation>所有 {name} 改为 {scheme}</translation>
    </message>
    <message>
        <source>{path} has changed since the sweep began; start it again.</source>
        <translation>扫描开始后 {path} 已改变；请重新开始。</translation>
    </message>
    <message>
        <source>A worker was lost and there is no other; {done} of {all} cells are measured. Start the sweep again to go on.</source>
        <translation>一个工作进程丢失且没有其他可用；已测 {done}/{all} 个单元。重新开始扫描即可继续。</translation>
    </message>
    <message>
        <source>{path} is no ordinary file; choose another place.</source>
        <translation>{path} 不是普通文件；请选择其他位置。</translation>
    </message>
    <message>
        <source>{path} can't be opened ({reason}); choose another place.</source>
        <translation>无法打开 {path}（{reason}）；请选择其他位置。</translation>
    </message>
    <message>
        <source>{path} is no result store; choose another file.</source>
        <translation>{path} 不是结果库；请选择其他文件。</translation>
    </message>
    <message>
        <source>{path} was written by Mixbit {theirs} in another format than this version ({ours}) uses; choose another file.</source>
        <translation>{path} 由 Mixbit {theirs} 写入，格式与本版本（{ours}）不同；请选择其他文件。</translation>
    </message>
    <message>
        <source>{path} holds results of another model ({model}); choose another file.</source>
        <translation>{path} 中是另一个模型（{model}）的结果；请选择其他文件。</translation>
    </message>
    <message>
        <source>The disk of {path} is full; free some space and go on: results so far are kept.</source>
        <translation>{path} 所在磁盘已满；请腾出空间后继续：已有结果会保留。</translation>
    </message>
    <message>
        <source>{path} is in use by another program; close that or choose another file.</source>
        <translation>{path} 正被其他程序使用；请关闭该程序或选择其他文件。</translation>
    </message>
    <message>
        <source>{path} can't be used ({reason}); choose another file.</source>
        <translation>无法使用 {path}（{reason}）；请选择其他文件。</translation>
    </message>
    <message>
        <source>{path} holds a scheme that can't be read; choose another file.</source>
        <translation>{path} 中有无法读取的格式；请选择其他文件。</translation>
    </message>
    <message>
        <source>Mixbit crashed the last time it ran. {file} helps to find out why.</source>
        <translation>Mixbit 上次运行时崩溃。{file} 有助于查明原因。</translation>
    </message>
    <message>
        <source>Internal error: {error}. Please copy the details into a report.</source>
        <translation>内部错误：{error}。请将详情复制到报告中。</translation>
    </message>
    <message>
        <source>Looking at the files</source>
        <translation>正在查看文件</translation>
    </message>
    <message>
        <source>{path} holds no file of this kind ({endings}); choose another kind or path.</source>
        <translation>{path} 没有此类文件（{endings}）；请换一种类型或路径。</translation>
    </message>
    <message>
        <source>Calibration has not finished yet; this export needs its ranges.</source>
        <translation>校准尚未完成；此导出需要校准得到的数值范围。</translation>
    </message>
    <message>
        <source>Checking {target}</source>
        <translation>正在检查 {target}</translation>
    </message>
    <message>
        <source>Precisions of {file}</source>
        <translation>{file} 的精度</translation>
    </message>
    <message>
        <source>Reading precisions from {file}</source>
        <translation>正在从 {file} 读取精度</translation>
    </message>
    <message>
        <source>Read {file} as {kind}: it sets {count} of {all} layers.</source>
        <translation>已将 {file} 识别为{kind}：其中设定了 {all} 层中的 {count} 层。</translation>
    </message>
    <message>
        <source>{file} has {count} names that this model has no layer for: {names}</source>
        <translation>{file} 中有 {count} 个名称在此模型中没有对应的层：{names}</translation>
    </message>
    <message>
        <source>The engine can't start; the details say which part is missing.</source>
        <translation>引擎无法启动；详情说明缺少哪个部分。</translation>
    </message>
    <message>
        <source>Comparing {tensor}</source>
        <translation>比对 {tensor}</translation>
    </message>
    <message>
        <source>Taking a kernel's cost apart</source>
        <translation>正在拆解算子开销</translation>
    </message>
    <message>
        <source>Comparing fusion rules</source>
        <translation>正在比较融合规则</translation>
    </message>
    <message>
        <source>Laying out the graph</source>
        <translation>正在布局图</translation>
    </message>
    <message>
        <source>Proposal {number}</source>
        <translation>候选方案 {number}</translation>
    </message>
    <message>
        <source>A plan of the Pareto front</source>
        <translation>帕累托前沿上的方案</translation>
    </message>
    <message>
        <source>Price preview</source>
        <translation>预估代价</translation>
    </message>
    <message>
        <source>{scheme} for the {count} worst kernels</source>
        <translation>最敏感的 {count} 个算子改为 {scheme}</translation>
    </message>
    <message>
        <source>Raise {count} kernels</source>
        <translation>提升 {count} 个算子</translation>
    </message>
    <message>
        <source>No installed font can draw Chinese. Install one, for example Noto Sans CJK, and start again.</source>
        <translation>没有可显示中文的字体。请安装一个，例如 Noto Sans CJK，然后重新启动。</translation>
    </message>
    <message>
        <source>Ascend 310</source>
        <translation>昇腾 310</translation>
    </message>
    <message>
        <source>Vendor configuration, constants fitted to published FP16 latencies; INT8 latencies are untested.</source>
        <translation>厂商配置，常数按公开的 FP16 时延拟合；INT8 时延未经检验。</translation>
    </message>
    <message>
        <source>This chip has no INT4 kernels; weights are quantized to INT8 or stay FP16.</source>
        <translation>此芯片没有 INT4 算子；权重量化为 INT8 或保持 FP16。</translation>
    </message>
    <message>
        <source>Weights of two or three bits have no storage format on this device; INT4 is the smallest.</source>
        <translation>此设备没有 2 位或 3 位权重的存储格式；最小为 INT4。</translation>
    </message>
    <message>
        <source>The matrix unit takes INT8 or FP16 activations; 16-bit integers have no instruction.</source>
        <translation>矩阵单元接受 INT8 或 FP16 激活；没有 16 位整数指令。</translation>
    </message>
    <message>
        <source>Ascend 310B1</source>
        <translation>昇腾 310B1</translation>
    </message>
    <message>
        <source>Vendor configuration, constants fitted to published FP16 latencies; INT8 and INT4 latencies are untested.</source>
        <translation>厂商配置，常数按公开的 FP16 时延拟合；INT8 与 INT4 时延未经检验。</translation>
    </message>
    <message>
        <source>INT4 weights exist for convolutions and matrix products, not for recurrent kernels.</source>
        <translation>INT4 权重可用于卷积与矩阵乘，不能用于循环层。</translation>
    </message>
    <message>
        <source>Ascend 310B4</source>
        <translation>昇腾 310B4</translation>
    </message>
    <message>
        <source>Vendor configuration; constants taken over from the 310B1, not fitted to this chip.</source>
        <translation>厂商配置；常数取自 310B1，未对此芯片拟合。</translation>
    </message>
    <message>
        <source>Ascend 310P3</source>
        <translation>昇腾 310P3</translation>
    </message>
    <message>
        <source>Vendor configuration, constants fitted to published FP16 latencies; the seven separate Vector cores are left out.</source>
        <translation>厂商配置，常数按公开的 FP16 时延拟合；未计入七个独立的 Vector 核。</translation>
    </message>
    <message>
        <source>Kirin-class phone (Kirin9030)</source>
        <translation>麒麟手机（Kirin9030）</translation>
    </message>
    <message>
        <source>Vendor configuration without a clock; clock, bandwidth and power are assumptions that you can edit.</source>
        <translation>厂商配置中没有频率；频率、带宽与功耗为可编辑的假设。</translation>
    </message>
    <message>
        <source>Weights of two or three bits have no kernel in the converter of this phone; INT4 is the smallest.</source>
        <translation>此手机的转换器没有 2 位或 3 位权重的算子；最小为 INT4。</translation>
    </message>
    <message>
        <source>This phone has no INT4 depthwise convolution; its weights are quantized to INT8 or stay FP16.</source>
        <translation>此手机没有 INT4 深度卷积；其权重量化为 INT8 或保持 FP16。</translation>
    </message>
    <message>
        <source>This phone has no INT4 transposed convolution; its weights are quantized to INT8 or stay FP16.</source>
        <translation>此手机没有 INT4 转置卷积；其权重量化为 INT8 或保持 FP16。</translation>
    </message>
    <message>
        <source>INT4 matrix products exist on this phone only for FP16 activations, weights in groups of 32 and both sides a multiple of 128.</source>
        <translation>此手机上 INT4 矩阵乘仅支持 FP16 激活、权重分组为 32 且两边均为 128 的倍数。</translation>
    </message>
    <message>
        <source>Recurrent kernels and embeddings run in FP16 on this phone.</source>
        <translation>循环层与嵌入在此手机上以 FP16 运行。</translation>
    </message>
    <message>
        <source>Depthwise, fully connected and matrix kernels take 8-bit activations on this phone, not 16-bit integers.</source>
        <translation>此手机的深度卷积、全连接与矩阵算子接受 8 位激活，不接受 16 位整数。</translation>
    </message>
    <message>
        <source>Kirin X90</source>
        <translation>麒麟 X90</translation>
    </message>
    <message>
        <source>AI cores that share a kernel</source>
        <translation>共同执行一个算子的 AI 核数</translation>
    </message>
    <message>
        <source>Nominal clock of Cube, Vector and transfer engines</source>
        <translation>Cube、Vector 与搬运引擎的标称频率</translation>
    </message>
    <message>
        <source>Requantization, ReLU and residual add on the way out of L0C</source>
        <translation>移出 L0C 时完成重量化、ReLU 与残差相加</translation>
    </message>
    <message>
        <source>M, K, N of one Cube cycle in FP16</source>
        <translation>FP16 下每个 Cube 周期的 M、K、N</translation>
    </message>
    <message>
        <source>M, K, N of one Cube cycle in INT8</source>
        <translation>INT8 下每个 Cube 周期的 M、K、N</translation>
    </message>
    <message>
        <source>M, K, N of one Cube cycle in INT4</source>
        <translation>INT4 下每个 Cube 周期的 M、K、N</translation>
    </message>
    <message>
        <source>Whether the Cube multiplies INT4 by INT4</source>
        <translation>Cube 是否支持 INT4 乘 INT4</translation>
    </message>
    <message>
        <source>Cycles to start one L0 tile</source>
        <translation>启动一个 L0 切块的周期数</translation>
    </message>
    <message>
        <source>Reached part of the Cube's cycles</source>
        <translation>Cube 周期的可达比例</translation>
    </message>
    <message>
        <source>Vector rate of one-operand instructions and conversions</source>
        <translation>单操作数指令与转换的 Vector 速率</translation>
    </message>
    <message>
        <source>Vector rate of two-operand instructions</source>
        <translation>双操作数指令的 Vector 速率</translation>
    </message>
    <message>
        <source>Vector rate of exp and ln</source>
        <translation>exp 与 ln 的 Vector 速率</translation>
    </message>
    <message>
        <source>Vector rate of division and square root</source>
        <translation>除法与开方的 Vector 速率</translation>
    </message>
    <message>
        <source>Vector rate of cross-lane reductions</source>
        <translation>跨通道归约的 Vector 速率</translation>
    </message>
    <message>
        <source>Cycles to start one pass over a tile</source>
        <translation>启动一遍切块处理的周期数</translation>
    </message>
    <message>
        <source>Reached part of the Vector's cycles</source>
        <translation>Vector 周期的可达比例</translation>
    </message>
    <message>
        <source>L0A, left operand of the Cube</source>
        <translation>L0A，Cube 的左操作数</translation>
    </message>
    <message>
        <source>L0B, right operand of the Cube</source>
        <translation>L0B，Cube 的右操作数</translation>
    </message>
    <message>
        <source>L0C, accumulators of the Cube</source>
        <translation>L0C，Cube 的累加器</translation>
    </message>
    <message>
        <source>L1 per core</source>
        <translation>每核 L1</translation>
    </message>
    <message>
        <source>Unified buffer of the Vector unit</source>
        <translation>Vector 单元的统一缓冲区 UB</translation>
    </message>
    <message>
        <source>L2 shared by the cores; 0 = none</source>
        <translation>各核共享的 L2；0 = 无</translation>
    </message>
    <message>
        <source>Part of L2 that activations may fill before they go to DDR</source>
        <translation>激活溢出到 DDR 之前可占用的 L2 比例</translation>
    </message>
    <message>
        <source>Whether a batch is cut into slices whose activations fit L2</source>
        <translation>是否把批次切成激活能放进 L2 的片</translation>
    </message>
    <message>
        <source>L1 to L0A</source>
        <translation>L1 到 L0A</translation>
    </message>
    <message>
        <source>L1 to L0B</source>
        <translation>L1 到 L0B</translation>
    </message>
    <message>
        <source>Reached part of the L1 ports</source>
        <translation>L1 端口的可达比例</translation>
    </message>
    <message>
        <source>Out of a core, after the Cube or the Vector</source>
        <translation>Cube 或 Vector 之后的出核带宽</translation>
    </message>
    <message>
        <source>L2 into one core; 0 = no L2</source>
        <translation>L2 到单核；0 = 无 L2</translation>
    </message>
    <message>
        <source>One core into L2; 0 = no L2</source>
        <translation>单核到 L2；0 = 无 L2</translation>
    </message>
    <message>
        <source>Reached part of the L2 ports</source>
        <translation>L2 端口的可达比例</translation>
    </message>
    <message>
        <source>Memory bandwidth of the chip</source>
        <translation>芯片内存带宽</translation>
    </message>
    <message>
        <source>Reached part of the memory bandwidth</source>
        <translation>内存带宽的可达比例</translation>
    </message>
    <message>
        <source>Latency of a transfer before its first byte</source>
        <translation>传输首字节前的延迟</translation>
    </message>
    <message>
        <source>Rate of layout conversions and transposes</source>
        <translation>排布转换与转置的速率</translation>
    </message>
    <message>
        <source>Launch of a kernel that uses the Cube</source>
        <translation>Cube 算子的启动开销</translation>
    </message>
    <message>
        <source>Launch of a Vector kernel</source>
        <translation>Vector 算子的启动开销</translation>
    </message>
    <message>
        <source>Launch of a kernel that moves data</source>
        <translation>搬运算子的启动开销</translation>
    </message>
    <message>
        <source>Cost of one run before its first kernel</source>
        <translation>每次运行在首个算子前的开销</translation>
    </message>
    <message>
        <source>Whether a kernel that doesn't read what the one before wrote is launched while that one runs</source>
        <translation>不读取前一个算子输出的算子，是否在前一个运行期间就下发</translation>
    </message>
    <message>
        <source>Part of the second-longest unit that is not hidden</source>
        <translation>第二长单元中未被隐藏的比例</translation>
    </message>
    <message>
        <source>Weights of the next kernel that may be loaded ahead; 0 = none</source>
        <translation>可提前加载的下一算子权重；0 = 无</translation>
    </message>
    <message>
        <source>Hand-over between NPU and CPU, each way</source>
        <translation>NPU 与 CPU 单次交接</translation>
    </message>
    <message>
        <source>Copy between NPU and CPU memory, each way</source>
        <translation>NPU 与 CPU 内存间单向拷贝</translation>
    </message>
    <message>
        <source>Arithmetic of the CPU that takes over</source>
        <translation>接管计算的 CPU 算力</translation>
    </message>
    <message>
        <source>Memory bandwidth that the CPU reaches</source>
        <translation>CPU 可达的内存带宽</translation>
    </message>
    <message>
        <source>Reading the model from storage</source>
        <translation>从存储读取模型</translation>
    </message>
    <message>
        <source>Initialising the runtime at the first load</source>
        <translation>首次加载时初始化运行时</translation>
    </message>
    <message>
        <source>Parsing a model file</source>
        <translation>解析模型文件</translation>
    </message>
    <message>
        <source>Loading one kernel of a compiled model</source>
        <translation>加载离线模型中的一个算子</translation>
    </message>
    <message>
        <source>Compiling one kernel on the device</source>
        <translation>在设备上编译一个算子</translation>
    </message>
    <message>
        <source>Voltage and clock settle before an idle NPU runs</source>
        <translation>空闲 NPU 运行前电压与频率的稳定时间</translation>
    </message>
    <message>
        <source>First touch of a page of 4 KiB</source>
        <translation>首次访问一个 4 KiB 页</translation>
    </message>
    <message>
        <source>One FP16 multiply-accumulate, all of the Cube</source>
        <translation>一次 FP16 乘累加（含整个 Cube）</translation>
    </message>
    <message>
        <source>One INT8 multiply-accumulate, all of the Cube</source>
        <translation>一次 INT8 乘累加（含整个 Cube）</translation>
    </message>
    <message>
        <source>One INT4 multiply-accumulate, all of the Cube</source>
        <translation>一次 INT4 乘累加（含整个 Cube）</translation>
    </message>
    <message>
        <source>One byte through the Vector unit</source>
        <translation>经过 Vector 单元的每字节</translation>
    </message>
    <message>
        <source>One byte out of L0</source>
        <translation>读出 L0 的每字节</translation>
    </message>
    <message>
        <source>One byte out of L1 or UB</source>
        <translation>读出 L1 或 UB 的每字节</translation>
    </message>
    <message>
        <source>One byte in or out of L2</source>
        <translation>读写 L2 的每字节</translation>
    </message>
    <message>
        <source>One byte in or out of memory, interface included</source>
        <translation>读写内存的每字节（含接口）</translation>
    </message>
    <message>
        <source>NPU domain clocked but idle, without leakage</source>
        <translation>NPU 域有时钟但空闲，不含漏电</translation>
    </message>
    <message>
        <source>CPU while it runs a fallback</source>
        <translation>CPU 执行回退算子时</translation>
    </message>
    <message>
        <source>Rest of the device, always on</source>
        <translation>设备其余部分，常开</translation>
    </message>
    <message>
        <source>Leakage at 25 C and the nominal voltage</source>
        <translation>25 C 与标称电压下的漏电</translation>
    </message>
    <message>
        <source>Temperature rise that multiplies leakage by e</source>
        <translation>使漏电增至 e 倍的温升</translation>
    </message>
    <message>
        <source>Heat capacity of die, package, skin</source>
        <translation>芯片、封装、外壳的热容</translation>
    </message>
    <message>
        <source>Die to package, package to skin, skin to air</source>
        <translation>芯片到封装、封装到外壳、外壳到空气</translation>
    </message>
    <message>
        <source>Node that the governor watches</source>
        <translation>调频策略监视的节点</translation>
    </message>
    <message>
        <source>Clock of every operating point, rising</source>
        <translation>各工作点频率，递增</translation>
    </message>
    <message>
        <source>Voltage of every operating point</source>
        <translation>各工作点电压</translation>
    </message>
    <message>
        <source>What lowers the clock</source>
        <translation>由什么降低频率</translation>
    </message>
    <message>
        <source>Time between two decisions of the governor</source>
        <translation>调频策略两次决策的间隔</translation>
    </message>
    <message>
        <source>Trip temperatures, rising</source>
        <translation>触发温度，递增</translation>
    </message>
    <message>
        <source>Highest operating point from each trip on</source>
        <translation>超过各触发温度后的最高工作点</translation>
    </message>
    <message>
        <source>Cooling below a trip before the clock rises again</source>
        <translation>升频前须低于触发温度的回差</translation>
    </message>
    <message>
        <source>Temperature that the power allocator holds</source>
        <translation>功率分配保持的温度</translation>
    </message>
    <message>
        <source>Temperature from which the power allocator works</source>
        <translation>功率分配开始工作的温度</translation>
    </message>
    <message>
        <source>Power that holds the target; also the cap of the power-cap governor</source>
        <translation>维持目标温度的功率，也是功率上限策略的上限</translation>
    </message>
    <message>
        <source>Largest model file that ships</source>
        <translation>可发布的最大模型文件</translation>
    </message>
    <message>
        <source>Memory that a model may use</source>
        <translation>模型可用内存</translation>
    </message>
    <message>
        <source>Error band of latency, convolutional networks</source>
        <translation>时延误差带，卷积网络</translation>
    </message>
    <message>
        <source>Error band of latency, all other networks</source>
        <translation>时延误差带，其他网络</translation>
    </message>
    <message>
        <source>cores</source>
        <translation>核</translation>
    </message>
    <message>
        <source>flag</source>
        <translation>开关</translation>
    </message>
    <message>
        <source>elements</source>
        <translation>元素</translation>
    </message>
    <message>
        <source>cycles</source>
        <translation>周期</translation>
    </message>
    <message>
        <source>fraction</source>
        <translation>比例</translation>
    </message>
    <message>
        <source>B/cycle</source>
        <translation>B/周期</translation>
    </message>
    <message>
        <source>index</source>
        <translation>序号</translation>
    </message>
    <message>
        <source>this NPU has no such operator</source>
        <translation>此 NPU 没有该算子</translation>
    </message>
    <message>
        <source>this NPU has no such operator; use Neg+ArgMax</source>
        <translation>此 NPU 没有该算子；请用 Neg+ArgMax</translation>
    </message>
    <message>
        <source>this NPU has no such operator; export attention as MatMul and Softmax</source>
        <translation>此 NPU 没有该算子；请将注意力导出为 MatMul 与 Softmax</translation>
    </message>
    <message>
        <source>no NPU operator</source>
        <translation>没有 NPU 算子</translation>
    </message>
    <message>
        <source>its output length depends on the data</source>
        <translation>其输出长度取决于数据</translation>
    </message>
    <message>
        <source>the NPU has no sequences or strings</source>
        <translation>NPU 不支持序列或字符串</translation>
    </message>
    <message>
        <source>the converter rejects quantization nodes in the file; give the plan to the quantization tool instead</source>
        <translation>转换器拒绝文件中的量化节点；请把方案交给量化工具</translation>
    </message>
    <message>
        <source>this NPU has no such operator; decompose to MatMul</source>
        <translation>此 NPU 没有该算子；请分解为 MatMul</translation>
    </message>
    <message>
        <source>this NPU has no such operator; make it a constant of the model</source>
        <translation>此 NPU 没有该算子；请改为模型常量</translation>
    </message>
    <message>
        <source>no NPU operator for this model class</source>
        <translation>此类模型没有 NPU 算子</translation>
    </message>
    <message>
        <source>this NPU has no such operator; write it as Reshape+InstanceNorm</source>
        <translation>此 NPU 没有该算子；请写成 Reshape+InstanceNorm</translation>
    </message>
    <message>
        <source>the NPU runs no control flow; the converter refuses the model</source>
        <translation>NPU 不运行控制流；转换器会拒绝该模型</translation>
    </message>
    <message>
        <source>it is a sequential algorithm</source>
        <translation>这是顺序算法</translation>
    </message>
    <message>
        <source>this NPU has no such operator; quantize here, from the float model</source>
        <translation>此 NPU 没有该算子；请在此由浮点模型量化</translation>
    </message>
    <message>
        <source>random numbers are drawn on the CPU</source>
        <translation>随机数在 CPU 上生成</translation>
    </message>
    <message>
        <source>this NPU has no such operator; write it as ReduceSum+Log</source>
        <translation>此 NPU 没有该算子；请写成 ReduceSum+Log</translation>
    </message>
    <message>
        <source>this NPU has no such operator; export it as Mul, Slice and Concat</source>
        <translation>此 NPU 没有该算子；请导出为 Mul、Slice 与 Concat</translation>
    </message>
</context>
</TS>
