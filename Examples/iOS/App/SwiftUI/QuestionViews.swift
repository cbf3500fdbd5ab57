import Foundation
import StartupNetworking
import StartupOps
import SwiftUI

/// The login form.
struct LoginView: View {
    let problem: String?
    let answer: Answer<LoginAnswer>
    @State private var email = ""
    @State private var password = ""

    var body: some View {
        VStack(spacing: 16) {
            Text("Log in").font(.title)
            if let problem { Text(problem) }
            TextField("Email", text: $email)
            SecureField("Password", text: $password)
            Button("Log in") { answer.give(.logIn(email: email, password: Secret(password))) }
            Button("Create an account") { answer.give(.createAccount(email: email, password: Secret(password))) }
            Button("Go on as a guest") { answer.give(.continueAsGuest) }
        }
        .padding()
    }
}

/// The code that was sent to an address.
struct CodeView: View {
    let email: String
    let problem: String?
    let answer: Answer<Secret?>
    @State private var code = ""

    var body: some View {
        VStack(spacing: 16) {
            Text("Which code was sent to \(email)?").font(.title)
            if let problem { Text(problem) }
            TextField("Code", text: $code)
            Button("Go on") { answer.give(Secret(code)) }
            Button("Later") { answer.give(nil) }
        }
        .padding()
    }
}

/// The tutorial: a page at a time.
struct TutorialView: View {
    let pages: [TutorialPage]
    let answer: Answer<Void>
    @State private var number = 0

    var body: some View {
        VStack(spacing: 16) {
            if pages.indices.contains(number) {
                Text(pages[number].title).font(.title)
                Text(pages[number].text)
            }
            Button("Next") { if number + 1 < pages.count { number += 1 } else { answer.give(()) } }
            Button("Skip") { answer.give(()) }
        }
        .padding()
    }
}

/// Any question that is answered by choosing.
struct QuestionView: View {
    let question: Question
    let answer: Answer<Int?>

    var body: some View {
        VStack(spacing: 16) {
            Text(question.title).font(.title)
            if let text = question.text { Text(text) }
            ForEach(question.choices.indices, id: \.self) { number in
                Button(question.choices[number]) { answer.give(number) }
            }
            if let refusal = question.refusal { Button(refusal) { answer.give(nil) } }
        }
        .padding()
    }
}
